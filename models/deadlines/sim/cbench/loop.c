// The lean event loop in C, to compare the simulator with: stages of tasks behind barriers,
// durations drawn from 1,000 sorted values, packed events in a 4-ary heap or in a winner tree.
// Arguments: heap or tree, tokens, runs. Prints task completions per second, and the sum of all ends to stderr.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STAGES = 20, TASKS = 5000, MOST = 1 << 16 };
static uint64_t heap[2 * MOST], seed = 1;
static int64_t table[1000];
static uint64_t next(void) {
  uint64_t z = (seed += 0x9e3779b97f4a7c15u);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}
static int64_t draw(void) { return table[(uint64_t)(((__uint128_t)next() * 1000) >> 64)]; }

static void down(int n, uint64_t x) {
  int i = 0;
  for (;;) {
    int c = 4 * i + 1, m = c, e = c + 4 < n ? c + 4 : n;
    if (c >= n) break;
    for (int k = c + 1; k < e; k++) if (heap[k] < heap[m]) m = k;
    if (heap[m] >= x) break;
    heap[i] = heap[m];
    i = m;
  }
  heap[i] = x;
}
static void up(int i, uint64_t x) {
  while (i > 0 && heap[(i - 1) / 4] > x) { heap[i] = heap[(i - 1) / 4]; i = (i - 1) / 4; }
  heap[i] = x;
}
static int64_t run_heap(int tokens) {
  int64_t now = 0;
  for (int s = 0; s < STAGES; s++) {
    int left = TASKS, n = 0;
    for (; n < tokens && left > 0; left--, n++) up(n, (uint64_t)(now + draw()) << 20 | n);
    while (n > 0) {
      uint64_t top = heap[0];
      now = top >> 20;
      if (left > 0) { left--; down(n, (uint64_t)(now + draw()) << 20 | (top & 0xfffff)); }
      else { n--; if (n > 0) down(n, heap[n]); }
    }
  }
  return now;
}

static void set(uint64_t i, uint64_t x) {
  for (; i > 1; i >>= 1) {
    heap[i] = x;
    uint64_t y = heap[i ^ 1];
    x = y < x ? y : x;
  }
  heap[1] = x;
}
static int64_t run_tree(int tokens) {
  int64_t now = 0;
  int size = 1;
  while (size < tokens) size *= 2;
  for (int s = 0; s < STAGES; s++) {
    int left = TASKS;
    memset(heap, 0xff, sizeof *heap * 2 * size);
    for (int n = 0; n < tokens && left > 0; left--, n++) heap[size + n] = (uint64_t)(now + draw()) << 20 | n;
    for (int i = size - 1; i > 0; i--) heap[i] = heap[2 * i] < heap[2 * i + 1] ? heap[2 * i] : heap[2 * i + 1];
    while (heap[1] != UINT64_MAX) {
      uint64_t top = heap[1];
      now = top >> 20;
      uint64_t i = size + (top & 0xfffff);
      if (left > 0) { left--; set(i, (uint64_t)(now + draw()) << 20 | (top & 0xfffff)); }
      else set(i, UINT64_MAX);
    }
  }
  return now;
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  int tree = !strcmp(argv[1], "tree"), tokens = atoi(argv[2]), runs = atoi(argv[3]);
  if (tokens < 1 || tokens > MOST) return 2;
  for (int i = 0; i < 1000; i++) table[i] = (i + 1) * 1000;
  struct timespec a, b;
  clock_gettime(CLOCK_MONOTONIC, &a);
  int64_t sum = 0;
  for (int r = 0; r < runs; r++) sum += tree ? run_tree(tokens) : run_heap(tokens);
  clock_gettime(CLOCK_MONOTONIC, &b);
  double s = (b.tv_sec - a.tv_sec) + (b.tv_nsec - a.tv_nsec) / 1e9;
  fprintf(stderr, "%lld\n", (long long)sum);
  printf("%.0f\n", (double)runs * STAGES * TASKS / s);
}
