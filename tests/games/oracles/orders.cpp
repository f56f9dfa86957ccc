// The second implementation of iterative deepening for the parking puzzle, and what ordering moves could save at best.
// Reads boards of 36 characters, writes for each: nodes in the order of the rules, the floor, nodes in the order of the
// true distance from the goal, and, if an error is given, nodes in the order of that distance with a normal error of
// this deviation on each state, always the same one.  Arguments: increment [error].
//
// It searches a graph: all boards that slides connect are numbered first, so that orders can know the truth.  The floor
// is what no order undercuts: each round but the last enters every state within its bound at least once, and the last
// one the states of a shortest plan.  The root counts, as it does in the package.

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

static const int SIZE = 6;
using Places = std::array<signed char, 18>;

struct Vehicle {
    bool across;
    int line, length;
};

static std::vector<Vehicle> vehicles;
static std::vector<Places> states;
static std::vector<std::vector<int>> neighbours;  // in the order of the rules: the red car, then by letters; down first
static std::vector<int> from_start, to_goal;      // slides; solved boards are not left
static std::vector<double> guess;                 // the order, or empty for that of the rules

static bool is_solved(int s) { return states[s][0] + vehicles[0].length == SIZE; }

static Places read(const std::string& board) {
    std::map<std::pair<bool, char>, std::vector<int>> cells;  // the red car first
    for (int k = 0; k < SIZE * SIZE; k++)
        if (board[k] != '.') cells[{board[k] != 'X', board[k]}].push_back(k);
    Places places{};
    vehicles.clear();
    for (auto& [letter, where] : cells) {
        bool across = where[1] == where[0] + 1;
        int row = where[0] / SIZE, column = where[0] % SIZE;
        places[vehicles.size()] = across ? column : row;
        vehicles.push_back({across, across ? row : column, int(where.size())});
    }
    return places;
}

static std::vector<Places> slides(const Places& places) {
    bool taken[SIZE][SIZE] = {};
    auto cell = [&](const Vehicle& v, int at) -> bool& { return v.across ? taken[v.line][at] : taken[at][v.line]; };
    for (size_t k = 0; k < vehicles.size(); k++)
        for (int i = 0; i < vehicles[k].length; i++) cell(vehicles[k], places[k] + i) = true;
    std::vector<Places> found;
    for (size_t k = 0; k < vehicles.size(); k++)
        for (int step : {-1, 1})
            for (int at = places[k] + step;; at += step) {
                int end = step < 0 ? at : at + vehicles[k].length - 1;
                if (end < 0 || end >= SIZE || cell(vehicles[k], end)) break;
                found.push_back(places);
                found.back()[k] = at;
            }
    return found;
}

static std::vector<int> distances(const std::vector<int>& roots, bool leaves_goals) {
    std::vector<int> far(states.size(), -1);
    std::deque<int> row(roots.begin(), roots.end());
    for (int root : roots) far[root] = 0;
    for (; !row.empty(); row.pop_front()) {
        int here = row.front();
        if (is_solved(here) && !leaves_goals) continue;
        for (int next : neighbours[here])
            if (far[next] < 0) far[next] = far[here] + 1, row.push_back(next);
    }
    return far;
}

static void number(const Places& start) {
    std::map<Places, int> numbers{{start, 0}};
    states = {start};
    neighbours.clear();
    for (size_t at = 0; at < states.size(); at++) {
        neighbours.emplace_back();
        for (const Places& next : slides(states[at])) {
            auto [known, is_new] = numbers.insert({next, int(states.size())});
            if (is_new) states.push_back(next);
            neighbours[at].push_back(known->second);
        }
    }
    std::vector<int> goals;
    for (size_t s = 0; s < states.size(); s++)
        if (is_solved(s)) goals.push_back(s);
    from_start = distances({0}, false);
    to_goal = distances(goals, true);
}

static std::vector<int> least;  // cost at which a state was reached in this round
static long nodes;

static bool dive(int here, int cost, int bound) {
    std::vector<int> children;
    if (cost < bound)
        for (int next : neighbours[here])
            if (least[next] > cost + 1) children.push_back(next);
    if (!guess.empty())
        std::stable_sort(children.begin(), children.end(), [](int a, int b) {
            return std::make_pair(!is_solved(a), guess[a]) < std::make_pair(!is_solved(b), guess[b]);
        });
    for (int next : children) {
        if (least[next] <= cost + 1) continue;
        least[next] = cost + 1;
        nodes++;
        if (is_solved(next) || dive(next, cost + 1, bound)) return true;
    }
    return false;
}

static long deepened(int increment) {
    nodes = 1;
    for (int bound = increment;; bound += increment) {
        least.assign(states.size(), INT_MAX);
        least[0] = 0;
        if (dive(0, 0, bound)) return nodes;
    }
}

static long floor_of(int increment) {
    long total = 1 + to_goal[0];
    for (int bound = increment; bound < to_goal[0]; bound += increment)
        for (size_t s = 1; s < states.size(); s++) total += from_start[s] >= 0 && from_start[s] <= bound;
    return total;
}

int main(int count, char** words) {
    int increment = std::atoi(words[1]);
    std::string board;
    while (std::cin >> board) {
        number(read(board));
        guess.clear();
        std::cout << deepened(increment) << ' ' << floor_of(increment);
        guess.assign(to_goal.begin(), to_goal.end());
        std::cout << ' ' << deepened(increment);
        if (count > 2) {
            std::mt19937_64 stream(1);
            std::normal_distribution<double> error(0.0, std::atof(words[2]));
            for (double& value : guess) value += error(stream);
            std::cout << ' ' << deepened(increment);
        }
        std::cout << '\n';
    }
}
