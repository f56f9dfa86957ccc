// The yardstick: draughts, Connect Four and three searches as one would write them in C++17.
//
// Why it is here.  ludwin says that rules written in Python search at the speed of C++.  This file is
// the other side of that comparison: the same algorithms, move order, 64-bit cells and random stream
// as games/draughts.py, games/connect_four.py and search/*.py, so that not only the times but all
// results can be compared, and must be equal to the last bit.  Searches are templates over the game:
// everything is known at compile time and can be inlined, nothing is virtual.
//
// It is built and loaded by reference.py.  Flags: no -ffast-math, and -ffp-contract=off, because a
// fused multiply-add rounds once where Python rounds twice.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace {

using Cell = std::int64_t;
using Bits = std::uint64_t;

inline Cell lsb(Cell x) { return __builtin_ctzll(static_cast<Bits>(x)); }  // x is never 0 here
inline Cell clear_lsb(Cell x) { return x & (x - 1); }
inline Cell popcount(Cell x) { return __builtin_popcountll(static_cast<Bits>(x)); }

// splitmix64, see ludwin/primitives.py.
struct Stream {
    Bits state;

    Cell draw(Cell n) {
        state += 0x9E3779B97F4A7C15u;
        Bits z = state;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        z ^= z >> 31;
        return static_cast<Cell>((static_cast<unsigned __int128>(z) * static_cast<Bits>(n)) >> 64);
    }
};

// Draughts on 8x8; the board and the code of a move are explained in games/draughts.py.
struct Draughts {
    static constexpr Cell SIZE = 8, SHORT = SIZE / 2, LONG = SHORT + 1, QUIET_LIMIT = 80;
    static constexpr Cell MAX_MOVES = 72, MAX_PLIES = 169 * QUIET_LIMIT;
    static constexpr int END = 6, COUNT = 12, PATH = 16;

    struct State {
        Cell pieces[2], kings, turn, quiet, ply;
    };

    static constexpr Cell rows(Cell first, Cell last) {
        Cell squares = 0;
        for (Cell square = first * SHORT; square < last * SHORT; ++square) squares |= Cell{1} << (square + square / SIZE);
        return squares;
    }

    static constexpr Cell board() { return rows(0, SIZE); }
    static constexpr Cell top() { return rows(0, 1); }
    static constexpr Cell bottom() { return rows(SIZE - 1, SIZE); }

    static State setup() { return {{rows(0, 3), rows(SIZE - 3, SIZE)}, 0, 0, 0, 0}; }
    static Cell mover(const State &s) { return s.turn; }
    static bool drawn(const State &s) { return s.quiet >= QUIET_LIMIT; }

    static Cell moves(const State &s, Cell *out) {
        if (drawn(s)) return 0;
        const Cell mine = s.pieces[s.turn], theirs = s.pieces[1 - s.turn];
        constexpr Cell BOARD = board();
        const Cell empty = BOARD & ~(mine | theirs);
        const Cell down = s.turn == 0 ? mine : mine & s.kings;
        const Cell up = s.turn == 0 ? mine & s.kings : mine;
        const Cell below = (((empty >> SHORT) & theirs) >> SHORT) | (((empty >> LONG) & theirs) >> LONG);
        const Cell above = (((empty << SHORT) & theirs) << SHORT) | (((empty << LONG) & theirs) << LONG);
        const Cell jumpers = (down & below) | (up & above);
        if (jumpers != 0) return captures(out, jumpers, theirs, empty, down, up);
        Cell n = steps(out, 0, (down << SHORT) & empty, SHORT);
        n = steps(out, n, (down << LONG) & empty, LONG);
        n = steps(out, n, (up >> SHORT) & empty, -SHORT);
        return steps(out, n, (up >> LONG) & empty, -LONG);
    }

    static Cell steps(Cell *out, Cell n, Cell ends, Cell shift) {
        for (; ends != 0; ends = clear_lsb(ends)) {
            const Cell end = lsb(ends);
            out[n++] = (end - shift) | (end << END);
        }
        return n;
    }

    static Cell captures(Cell *out, Cell jumpers, Cell theirs, Cell empty, Cell down, Cell up) {
        Cell n = 0;
        for (; jumpers != 0; jumpers = clear_lsb(jumpers)) {
            const Cell start = lsb(jumpers), at = Cell{1} << start, free = empty | at;
            n = jumps(out, n, start, 0, at, theirs, (down & at) != 0 ? free : 0, (up & at) != 0 ? free : 0);
        }
        return n;
    }

    static Cell jumps(Cell *out, Cell n, Cell code, Cell count, Cell at, Cell theirs, Cell below, Cell above) {
        const Cell before = n;
        constexpr Cell STEP = Cell{1} << COUNT;
        const Cell turn = PATH + 2 * count;
        Cell over = (at << SHORT) & theirs;
        if (((over << SHORT) & below) != 0) n = jumps(out, n, code + STEP, count + 1, over << SHORT, theirs ^ over, below, above);
        over = (at << LONG) & theirs;
        if (((over << LONG) & below) != 0) n = jumps(out, n, code + STEP + (Cell{1} << turn), count + 1, over << LONG, theirs ^ over, below, above);
        over = (at >> SHORT) & theirs;
        if (((over >> SHORT) & above) != 0) n = jumps(out, n, code + STEP + (Cell{2} << turn), count + 1, over >> SHORT, theirs ^ over, below, above);
        over = (at >> LONG) & theirs;
        if (((over >> LONG) & above) != 0) n = jumps(out, n, code + STEP + (Cell{3} << turn), count + 1, over >> LONG, theirs ^ over, below, above);
        if (n == before) out[n++] = code | (lsb(at) << END);
        return n;
    }

    static Cell captured(Cell m) {
        Cell at = m & 63, path = m >> PATH, taken = 0;
        for (Cell count = (m >> COUNT) & 15; count > 0; --count) {
            const Cell shift = (SHORT + (path & 1)) * (1 - (path & 2));
            taken |= Cell{1} << (at + shift);
            at += 2 * shift;
            path >>= 2;
        }
        return taken;
    }

    static void play(State &s, Cell m) {
        const Cell start = Cell{1} << (m & 63), end = Cell{1} << ((m >> END) & 63), king = s.kings & start;
        const bool capture = m >= Cell{1} << COUNT;
        s.pieces[s.turn] ^= start ^ end;
        if (king != 0) s.kings ^= start ^ end;
        constexpr Cell TOP = top(), BOTTOM = bottom();
        s.kings |= end & (s.turn == 0 ? BOTTOM : TOP);
        if (capture) {
            const Cell taken = captured(m);
            s.pieces[1 - s.turn] ^= taken;
            s.kings &= ~taken;
        }
        s.quiet = king != 0 && !capture ? s.quiet + 1 : 0;
        s.turn = 1 - s.turn;
    }

    static Cell payoff(const State &s, Cell p) {
        if (drawn(s)) return 0;
        return s.turn == p ? -1 : 1;
    }

    static Cell worth(const State &s, Cell p) {
        const Cell mine = s.pieces[p];
        constexpr Cell TOP = top(), BOTTOM = bottom();
        const Cell home = p == 0 ? TOP : BOTTOM;
        return 100 * popcount(mine) + 50 * popcount(mine & s.kings) + 8 * popcount(mine & home & ~s.kings);
    }

    static double evaluate(const State &s, Cell p) { return static_cast<double>(worth(s, p) - worth(s, 1 - p)) / 4096.0; }
};

// Connect Four on 7x6; see games/connect_four.py.
struct ConnectFour {
    static constexpr Cell COLUMNS = 7, ROWS = 6, CONNECT = 4, STEP = ROWS + 1;
    static constexpr Cell MAX_MOVES = COLUMNS, MAX_PLIES = COLUMNS * ROWS;

    struct State {
        Cell discs[2], turn;
    };

    static constexpr Cell board() {
        Cell places = 0;
        for (Cell c = 0; c < COLUMNS; ++c)
            for (Cell r = 0; r < ROWS; ++r) places |= Cell{1} << (c * STEP + r);
        return places;
    }

    static State setup() { return {{0, 0}, 0}; }
    static Cell mover(const State &s) { return s.turn; }

    static Cell lines(Cell places, Cell step) {
        Cell found = places;
        for (Cell i = 1; i < CONNECT; ++i) found = places & (found >> step);
        return found;
    }

    static bool has_line(Cell discs) { return (lines(discs, 1) | lines(discs, STEP) | lines(discs, STEP + 1) | lines(discs, STEP - 1)) != 0; }

    static Cell moves(const State &s, Cell *out) {
        if (has_line(s.discs[1 - s.turn])) return 0;
        const Cell filled = s.discs[0] | s.discs[1];
        Cell n = 0;
        for (Cell column = 0; column < COLUMNS; ++column) {
            out[n] = column;
            n += 1 - ((filled >> (column * STEP + ROWS - 1)) & 1);
        }
        return n;
    }

    static void play(State &s, Cell m) {
        const Cell filled = s.discs[0] | s.discs[1];
        s.discs[s.turn] |= (filled + (Cell{1} << (m * STEP))) & ~filled;
        s.turn = 1 - s.turn;
    }

    static Cell payoff(const State &s, Cell p) {
        if (has_line(s.discs[p])) return 1;
        return has_line(s.discs[1 - p]) ? -1 : 0;
    }

    static Cell prospects(Cell places) {
        return popcount(lines(places, 1)) + popcount(lines(places, STEP)) + popcount(lines(places, STEP + 1)) + popcount(lines(places, STEP - 1));
    }

    static double evaluate(const State &s, Cell p) {
        constexpr Cell BOARD = board();
        const Cell mine = prospects(BOARD & ~s.discs[1 - p]), theirs = prospects(BOARD & ~s.discs[p]);
        return static_cast<double>(mine - theirs) / (4.0 * COLUMNS * ROWS);
    }
};

// Perft: the last ply is counted in bulk.
template <class Game>
Cell perft(const typename Game::State &s, Cell depth) {
    Cell out[Game::MAX_MOVES];
    const Cell n = Game::moves(s, out);
    if (depth == 1) return n;
    Cell total = 0;
    for (Cell i = 0; i < n; ++i) {
        typename Game::State child = s;
        Game::play(child, out[i]);
        total += perft<Game>(child, depth - 1);
    }
    return total;
}

// Alpha-beta.  Both games are of constant sum 0, so a payoff needs no shift before it is scaled.
constexpr double DECIDED = 0x1p400, OPINION = 0x1p300, INFINITE = 0x1p500;

template <class Game>
struct AlphaBeta {
    using State = typename Game::State;

    Cell inner = 0, terminal = 0, unfinished = 0, cuts = 0;
    bool sure = false;  // whether the line behind the last value ends the game
    const Cell width;
    std::vector<Cell> lines;  // the principal variations: a row per ply, length first

    explicit AlphaBeta(Cell depth) : width(depth + 2), lines((depth + 2) * (depth + 2)) {}

    static double fact(const State &s) { return static_cast<double>(Game::payoff(s, Game::mover(s))) * DECIDED; }

    static double opinion(const State &s) {
        const double value = Game::evaluate(s, Game::mover(s));
        if (!(value > -OPINION)) return -OPINION;
        return std::min(value, OPINION);
    }

    void note(Cell *row, Cell move) {
        const Cell *below = row + width;
        row[0] = below[0] + 1;
        row[1] = move;
        for (Cell i = 1; i <= below[0]; ++i) row[i + 1] = below[i];
    }

    // Returns the value of `s` to its mover; exact inside (alpha, beta), a bound outside.
    double search(const State &s, Cell *row, Cell depth, double alpha, double beta) {
        // Step 1. Leaves: a fact if the game is over, an opinion if the depth is used up.
        Cell out[Game::MAX_MOVES];
        const Cell n = Game::moves(s, out);
        row[0] = 0;
        if (n == 0) {
            ++terminal;
            sure = true;
            return fact(s);
        }
        if (depth == 0) {
            ++unfinished;
            sure = false;
            return opinion(s);
        }
        // Step 2. Try the moves in the order of the rules; keep the first best.
        ++inner;
        const Cell me = Game::mover(s);
        double best = -INFINITE;
        bool best_sure = false;
        for (Cell i = 0; i < n; ++i) {
            State child = s;
            Game::play(child, out[i]);
            const double low = std::max(alpha, best);
            const double value = Game::mover(child) == me ? search(child, row + width, depth - 1, low, beta) : -search(child, row + width, depth - 1, -beta, -low);
            if (value > best) {
                best = value;
                best_sure = sure;
                // Step 3. The opponent will not let us come here.
                if (best >= beta) {
                    ++cuts;
                    break;
                }
                if (best > alpha) note(row, out[i]);
            }
        }
        sure = best_sure;
        return best;
    }
};

// UCT.  Nature has no moves in these games, so its branch of search/uct.py is left out.
template <class Game>
struct Uct {
    using State = typename Game::State;
    template <class T>
    using Array = std::unique_ptr<T[]>;  // not cleared: as with NumPy's zeros, memory costs only when it is touched
    static constexpr Cell UNEXPANDED = -1, MOST_NODES = 1 << 24;

    Cell room, size = 1, nodes = 0;
    Array<Cell> first, width, tried, move, visits;
    Array<double> total;
    std::vector<Cell> path, owner;
    Stream rng;

    Uct(Cell playouts, Cell seed)
        : room(std::min((playouts + 2) * Game::MAX_MOVES, MOST_NODES)), path(Game::MAX_PLIES + 1), owner(Game::MAX_PLIES + 1), rng{static_cast<Bits>(seed)} {
        const Cell cells = room + Game::MAX_MOVES + 1;
        for (Array<Cell> *array : {&first, &width, &tried, &move, &visits}) array->reset(new Cell[cells]);
        total.reset(new double[cells]);
        width[0] = UNEXPANDED;
        visits[0] = 0;
    }

    void expand(const State &s, Cell *out, Cell node) {
        const Cell n = Game::moves(s, out);
        first[node] = size;
        width[node] = n;
        tried[node] = 0;
        for (Cell i = 0; i < n; ++i) {
            move[size + i] = out[i];
            visits[size + i] = 0;
            total[size + i] = 0.0;
            width[size + i] = UNEXPANDED;
        }
        size += n;
    }

    Cell untried(Cell node) {
        const Cell here = first[node] + tried[node];
        const Cell there = here + rng.draw(width[node] - tried[node]);
        std::swap(move[here], move[there]);
        ++tried[node];
        return here;
    }

    Cell promising(Cell node, double c) {
        const double log_n = std::log(static_cast<double>(visits[node]));
        const Cell start = first[node], end = start + width[node];
        Cell best = start;
        double highest = -std::numeric_limits<double>::infinity();
        for (Cell child = start; child < end; ++child) {
            const double n = static_cast<double>(visits[child]);
            const double bound = total[child] / n + c * std::sqrt(log_n / n);
            if (bound > highest) {
                highest = bound;
                best = child;
            }
        }
        return best;
    }

    Cell playout(State &s, Cell *out) {
        Cell plies = 0, n = Game::moves(s, out);
        while (n > 0 && plies < Game::MAX_PLIES) {
            Game::play(s, out[rng.draw(n)]);
            ++plies;
            n = Game::moves(s, out);
        }
        return plies;
    }

    void grow(const State &root, Cell playouts, double c) {
        Cell out[Game::MAX_MOVES];
        for (Cell done = 0; done < playouts; ++done) {
            // Step 1. Walk down from the root; stop behind a new node or at the end of the game.
            State s = root;
            Cell node = 0, plies = 0;
            bool fresh = false;
            while (!fresh && plies < Game::MAX_PLIES) {
                if (width[node] == UNEXPANDED) {
                    if (size > room) break;
                    expand(s, out, node);
                }
                if (width[node] == 0) break;
                const Cell player = Game::mover(s);
                if (tried[node] < width[node]) {
                    node = untried(node);
                    fresh = true;
                } else {
                    node = promising(node, c);
                }
                Game::play(s, move[node]);
                ++plies;
                path[plies] = node;
                owner[plies] = player;
            }
            // Step 2. Play on at random.
            nodes += plies + playout(s, out);
            // Step 3. Carry the payoffs back to every node of the path.
            ++visits[0];
            const double worth[2] = {static_cast<double>(Game::payoff(s, 0)), static_cast<double>(Game::payoff(s, 1))};
            for (Cell i = 1; i <= plies; ++i) {
                total[path[i]] += worth[owner[i]];
                ++visits[path[i]];
            }
        }
    }

    // The most visited move; among equals the one of higher mean, then the first by the rules.
    Cell choose(const State &root, double &value) {
        Cell out[Game::MAX_MOVES];
        const Cell n = Game::moves(root, out);
        Cell best = 0, most = -1;
        for (Cell i = 0; i < n; ++i) {
            Cell child = first[0];
            while (move[child] != out[i]) ++child;
            const double mean = total[child] / static_cast<double>(std::max(visits[child], Cell{1}));
            if (visits[child] > most || (visits[child] == most && mean > value)) {
                most = visits[child];
                value = mean;
                best = out[i];
            }
        }
        return best;
    }
};

template <class Game>
Cell run_alphabeta(Cell depth, double *value, long long *nodes) {
    AlphaBeta<Game> tree(depth);
    const double best = tree.search(Game::setup(), tree.lines.data(), depth, -INFINITE, INFINITE);
    *value = (tree.sure ? best / DECIDED : best) + 0.0;  // + 0.0 turns -0.0 into 0.0
    *nodes = tree.inner + tree.terminal + tree.unfinished;
    return tree.lines[1];
}

template <class Game>
Cell run_uct(Cell playouts, double c, Cell seed, double *value, long long *nodes) {
    const auto root = Game::setup();
    Uct<Game> tree(playouts, seed);
    tree.grow(root, playouts, c);
    *nodes = tree.nodes;
    return tree.choose(root, *value);
}

}  // namespace

// Game 0 is draughts, 1 Connect Four; depth and playouts are at least 1.  `seed` is the first state
// of the random stream, as ludwin.primitives.stream returns it.
extern "C" {

long long reference_perft(int game, int depth) {
    return game == 0 ? perft<Draughts>(Draughts::setup(), depth) : perft<ConnectFour>(ConnectFour::setup(), depth);
}

long long reference_alphabeta(int game, int depth, double *value, long long *nodes) {
    return game == 0 ? run_alphabeta<Draughts>(depth, value, nodes) : run_alphabeta<ConnectFour>(depth, value, nodes);
}

long long reference_uct(int game, long long playouts, double c, long long seed, double *value, long long *nodes) {
    return game == 0 ? run_uct<Draughts>(playouts, c, seed, value, nodes) : run_uct<ConnectFour>(playouts, c, seed, value, nodes);
}

}
