// The second solver of the fifteen puzzle: IDA* by walking distances, in another language and by another bound than the
// package's pattern databases.  Reads positions of 16 numbers (0 is the gap), writes the length of a shortest solution
// for each.
//
// Walking distance: forget which tile of a row it is and keep only which row it belongs to.  What remains has 24,964
// positions; breadth first from the goal tells how many vertical moves each takes at least.  The same by columns for
// horizontal moves; a move is either, so the two add up.
// Reference.  K. Takahashi, the inventor of the bound, published it on his pages on the fifteen puzzle (2001).

#include <cstdint>
#include <cstdio>
#include <unordered_map>
#include <vector>

using Word = std::uint64_t;  // 16 counts of 3 bits (row, goal row), then 2 bits: the row of the gap

struct Walk {
    int distance;
    int link[2][4];  // after the gap has gone up or down and a tile that belongs to row t has come: number, or -1
};

static std::vector<Walk> walks;
static std::unordered_map<Word, int> numbers;
static std::vector<Word> words;

static int count(Word w, int row, int aim) { return int(w >> (3 * (4 * row + aim)) & 7); }
static int gap_row(Word w) { return int(w >> 48 & 3); }

static Word stepped(Word w, int way, int aim) {
    int row = gap_row(w), other = row + (way ? 1 : -1);
    w -= Word(1) << (3 * (4 * other + aim));
    w += Word(1) << (3 * (4 * row + aim));
    return (w & ~(Word(3) << 48)) | Word(other) << 48;
}

static int number_of(Word w, int distance) {
    auto found = numbers.find(w);
    if (found != numbers.end()) return found->second;
    int number = int(words.size());
    numbers[w] = number;
    words.push_back(w);
    walks.push_back({distance, {{-1, -1, -1, -1}, {-1, -1, -1, -1}}});
    return number;
}

static void build() {
    Word goal = Word(3) << 48;
    for (int row = 0; row < 4; row++) goal += Word(row == 3 ? 3 : 4) << (3 * (5 * row));
    number_of(goal, 0);
    for (int at = 0; at < int(words.size()); at++) {
        Word w = words[at];
        for (int way = 0; way < 2; way++) {
            int other = gap_row(w) + (way ? 1 : -1);
            if (other < 0 || other > 3) continue;
            for (int aim = 0; aim < 4; aim++)
                if (count(w, other, aim) > 0) {
                    int next = number_of(stepped(w, way, aim), walks[at].distance + 1);
                    walks[at].link[way][aim] = next;
                }
        }
    }
}

static int tiles[16];

// The number of the position's rows (or of its columns, seen as rows).
static int seen(bool columns) {
    Word w = 0;
    for (int cell = 0; cell < 16; cell++) {
        int place = columns ? cell % 4 : cell / 4, tile = tiles[cell];
        if (tile == 0) w |= Word(place) << 48;
        else w += Word(1) << (3 * (4 * place + (columns ? (tile - 1) % 4 : (tile - 1) / 4)));
    }
    return numbers.at(w);
}

static int beyond;

// Depth first to the bound; true if the goal was met.
static bool dive(int gap, int rows, int columns, int gone, int bound, int last) {
    int value = gone + walks[rows].distance + walks[columns].distance;
    if (value > bound) {
        if (value < beyond) beyond = value;
        return false;
    }
    if (value == gone) {  // no walk is left: every tile is in its row and in its column
        return true;
    }
    static const int step[4] = {-4, 4, -1, 1};
    for (int way = 0; way < 4; way++) {
        if (last >= 0 && way == (last ^ 1)) continue;
        int place = way < 2 ? gap / 4 : gap % 4;
        if (way & 1 ? place == 3 : place == 0) continue;
        int from = gap + step[way], tile = tiles[from];
        int r = way < 2 ? walks[rows].link[way][(tile - 1) / 4] : rows;
        int c = way < 2 ? columns : walks[columns].link[way - 2][(tile - 1) % 4];
        tiles[gap] = tile;
        tiles[from] = 0;
        bool met = dive(from, r, c, gone + 1, bound, way);
        tiles[from] = tile;
        tiles[gap] = 0;
        if (met) return true;
    }
    return false;
}

int main() {
    build();
    std::fprintf(stderr, "%zu walking positions\n", words.size());
    for (;;) {
        int gap = 0;
        for (int cell = 0; cell < 16; cell++) {
            if (std::scanf("%d", &tiles[cell]) != 1) return 0;
            if (tiles[cell] == 0) gap = cell;
        }
        int rows = seen(false), columns = seen(true);
        int bound = walks[rows].distance + walks[columns].distance;
        for (;;) {
            beyond = 1000;
            if (dive(gap, rows, columns, 0, bound, -1)) break;
            bound = beyond;
        }
        std::printf("%d\n", bound);
        std::fflush(stdout);
    }
}
