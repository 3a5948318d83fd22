/* Plays matches with an exported game, as portable.mjs does. It reads the numbers of all roles' moves for each ply;
 * -1 instead of them ends a match. SOURCE is the exported file, and NAME what its names begin with. */
#include SOURCE
#include <stdio.h>
#include <string.h>

#define JOINED(a, b) a##b
#define JOIN(a, b) JOINED(a, b)
#define G(x) JOIN(NAME, x)
#define COUNT(array) ((int)(sizeof(array) / sizeof(*(array))))

static G(_work) work;

static void look_around(const G(_state) *state) {
  int goals[COUNT(G(_roles))], legal[COUNT(G(_moves))];
  printf("{\"facts\":[");
  for (int i = 0, some = 0; i < COUNT(G(_facts)); i++) {
    if (state->bits[i / 8] >> i % 8 & 1) printf("%s\"%s\"", some++ ? "," : "", G(_facts)[i]);
  }
  printf("],\"terminal\":%s,\"goals\":[", G(_terminal)(&work, state) ? "true" : "false");
  G(_goals)(&work, state, goals);
  for (int i = 0; i < COUNT(goals); i++) printf("%s%d", i ? "," : "", goals[i]);
  printf("],\"legal\":[");
  for (int role = 0; role < COUNT(goals); role++) {
    const int count = G(_legal)(&work, state, role, legal);
    printf("%s[", role ? "," : "");
    for (int i = 0; i < count; i++) printf("%s\"%s\"", i ? "," : "", G(_moves)[legal[i]]);
    printf("]");
  }
  printf("]");
}

int main(void) {
  int moves[COUNT(G(_roles))], percepts[COUNT(G(_percepts))], perceived, first = 1;
  G(_state) state;
  G(_initial)(&state);
  printf("{\"found\":[[");
  while (scanf("%d", moves) == 1) {
    printf(first ? "" : ",");
    first = 0;
    look_around(&state);
    printf(",\"seen\":[");
    if (moves[0] < 0) {
      G(_initial)(&state);
      printf("]}],[");
      first = 1;
      continue;
    }
    for (int role = 1; role < COUNT(moves); role++) {
      if (scanf("%d", &moves[role]) != 1) return 1;
    }
    G(_next)(&work, &state, moves, &state, percepts, &perceived);
    for (int role = 0; role < COUNT(moves); role++) {
      int some = 0;
      printf("%s[", role ? "," : "");
      for (int i = 0; i < perceived; i++) {
        if (G(_perceivers)[percepts[i]] == role) printf("%s\"%s\"", some++ ? "," : "", G(_percepts)[percepts[i]]);
      }
      printf("]");
    }
    printf("]}");
  }
  uint64_t seed[2] = {1, 2};
  int goals[64][COUNT(moves)];
  G(_initial)(&state);
  const int over = G(_playouts)(&work, &state, seed, 1000, goals);
  printf("]],\"over\":%d,\"ends\":[", over);
  for (int i = 0; i < 64; i++) {
    printf("%s[", i ? "," : "");
    for (int role = 0; role < COUNT(moves); role++) printf("%s%d", role ? "," : "", goals[i][role]);
    printf("]");
  }
  printf("]}\n");
  return 0;
}
