// What each family of schedules is for, in half a sentence: for the picker and the picture book.
export const familyWords: Record<string, string> = {
  "one chunk": "each rank holds one stage",
  interleaved: "several chunks a rank, a smaller bubble for more traffic",
  "zero bubble": "the backward in two parts, weight gradients fill gaps",
  "zero bubble, V": "two chunks a rank, down and back up again",
  V: "two chunks a rank, the backward in one piece",
  bidirectional: "two directions at once, two copies of the weights",
  waves: "chunks in waves, one copy of the weights",
  asynchronous: "no flush between batches, older weights",
  adaptive: "the module decides by the stages' times",
  "hops policies": "the rules of the HOPS simulator",
};
