// The lean event loop in C, to compare the simulator with: stages of tasks behind barriers,
// durations drawn from 1,000 sorted values, packed events in a 4-ary heap.
// Arguments: tokens, runs. Prints task completions per second.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t heap[1 << 16], seed = 1;
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
int main(int argc, char **argv) {
  if (argc != 3) return 2;
  int tokens = atoi(argv[1]), runs = atoi(argv[2]), stages = 20, tasks = 5000;
  if (tokens < 1 || tokens > 1 << 16) return 2;
  for (int i = 0; i < 1000; i++) table[i] = (i + 1) * 1000;
  struct timespec a, b;
  clock_gettime(CLOCK_MONOTONIC, &a);
  int64_t sum = 0;
  for (int r = 0; r < runs; r++) {
    int64_t now = 0;
    for (int s = 0; s < stages; s++) {
      int left = tasks, n = 0;
      for (; n < tokens && left > 0; left--, n++) up(n, (uint64_t)(now + draw()) << 20 | n);
      while (n > 0) {
        uint64_t top = heap[0];
        now = top >> 20;
        if (left > 0) { left--; down(n, (uint64_t)(now + draw()) << 20 | (top & 0xfffff)); }
        else { n--; if (n > 0) down(n, heap[n]); }
      }
    }
    sum += now;
  }
  clock_gettime(CLOCK_MONOTONIC, &b);
  double s = (b.tv_sec - a.tv_sec) + (b.tv_nsec - a.tv_nsec) / 1e9;
  fprintf(stderr, "%lld\n", (long long)sum);
  printf("%.0f\n", (double)runs * stages * tasks / s);
}
