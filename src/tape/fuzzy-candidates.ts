// The words and runs of words of a text that may be like a phrase; most are told apart by counting their characters.
import { bytesOf, codeAt, lowerCode } from "./characters.ts";
import { Bag, never } from "./fuzzy-bounds.ts";
import type { FuzzyPhrase } from "./fuzzy-phrase.ts";
import { type Run, WordList } from "./word-list.ts";

/** A power of two. */
const signSlots = 1024;
const mostSerial = 0x3fffffff;

export class Candidates {
  readonly #phrase: FuzzyPhrase;
  /** See `Bounds.plain`. */
  readonly #wanted: Int32Array;
  /** Holds the words of the run that was looked at last. */
  readonly #bag: Bag;
  #inBagFrom = 0;
  #inBagTo = 0;
  /** By length, whether the phrase has a word of it. */
  readonly #lengths: Uint8Array;
  readonly #single = new WordList();
  /** By the signs of words, when one was met last: others may share its place, so that only what is not there is sure. */
  readonly #metAt = new Int32Array(signSlots).fill(-1);
  /** Grows from text to text. */
  #serial = 0;

  constructor(phrase: FuzzyPhrase) {
    this.#phrase = phrase;
    this.#wanted = phrase.bounds.plain;
    this.#bag = new Bag(phrase.codes);
    this.#lengths = new Uint8Array(this.#wanted.length);
    for (const { length } of phrase.words) this.#lengths[length] = 1;
  }

  /**
   * Whether the word in `bytes[from, to)` is like the phrase.
   * @param counts its characters, and how many of them the phrase has
   */
  isAlike(bytes: Uint8Array, from: number, to: number, counts: { length: number; hits: number }): boolean {
    const { length, hits } = counts;
    this.#single.clear();
    this.#single.add(bytes, { from, to, length, hits });
    return this.#phrase.isAlike(bytes, this.#single, one, hits);
  }

  /** Whether a run of as many words as the phrase has is like it. */
  areThere(bytes: Uint8Array, words: WordList): boolean {
    const size = this.#phrase.words.length;
    return size > 1 && words.count >= size && this.#runsAreThere(bytes, words, size);
  }

  /**
   * In a word of a script without spaces: whether as many characters as the phrase has, from anywhere on, are like it.
   * @param length in characters
   */
  areInWord(bytes: Uint8Array, from: number, to: number, length: number): boolean {
    const size = this.#phrase.codes.length;
    const wanted = this.#wanted[size] as number;
    if (length <= size || wanted === never) return false;
    let [start, count, hits] = [from, 0, 0];
    for (let at = from; at < to; ) {
      const code = codeAt(bytes, at);
      at += bytesOf(code);
      count++;
      if (this.#phrase.has(lowerCode(code))) hits++;
      if (count < size) continue;
      if (hits >= wanted && this.isAlike(bytes, start, at, { length: size, hits })) return true;
      const first = codeAt(bytes, start);
      start += bytesOf(first);
      if (this.#phrase.has(lowerCode(first))) hits--;
    }
    return false;
  }

  #runsAreThere(bytes: Uint8Array, words: WordList, size: number): boolean {
    const { count, lengths, hits, signs } = words;
    const wanted = this.#wanted;
    const metAt = this.#metAt;
    // Made once: a run is looked at for every word.
    const run = { from: 0, to: 0 };
    const measures = { length: 0, distinct: 0, shared: 0 };
    const serial = this.#beginText(count);
    // Of the run, in characters, spaces between its words counted.
    let length = -1;
    let hit = -1;
    /** Of its words that the phrase has. */
    let shared = 0;
    // The newest place of a word that a later one seems to repeat.
    let repeated = -1;
    for (let index = 0; index < count; index++) {
      const own = lengths[index] as number;
      const ownHits = hits[index] as number;
      length += own + 1;
      hit += ownHits + 1;
      if (ownHits === own && this.#isKnown(bytes, words, index)) shared += own + 1;
      const slot = slotOf(signs[index] as number);
      const met = (metAt[slot] as number) - serial;
      metAt[slot] = serial + index;
      if (met > repeated) repeated = met;
      const first = index - size + 1;
      if (first < 0) continue;
      let least = length < wanted.length ? (wanted[length] as number) : never;
      run.from = first;
      run.to = index + 1;
      if (least !== never && (shared > 0 || repeated >= first)) {
        measures.length = length;
        measures.shared = shared;
        measures.distinct = repeated < first ? length : distinctLength(words, run);
        least = this.#phrase.bounds.wanted(measures);
      }
      if (hit >= least && this.#runIsAlike(bytes, words, run, least)) return true;
      const firstLength = lengths[first] as number;
      length -= firstLength + 1;
      hit -= (hits[first] as number) + 1;
      if (shared > 0 && this.#isKnown(bytes, words, first)) shared -= firstLength + 1;
    }
    return false;
  }

  /** Answers the serial number of the text's first word. */
  #beginText(count: number): number {
    this.#inBagFrom = this.#inBagTo = 0;
    this.#bag.clear();
    if (this.#serial > mostSerial) {
      this.#metAt.fill(-1);
      this.#serial = 0;
    }
    const serial = this.#serial;
    this.#serial += count;
    return serial;
  }

  #isKnown(bytes: Uint8Array, words: WordList, index: number): boolean {
    const length = words.lengths[index] as number;
    const isMaybe = words.hits[index] === length && this.#lengths[length] === 1;
    return isMaybe && this.#phrase.placeOf(bytes, words, index) >= 0;
  }

  /** @param wanted characters in common, whatever their order, without which it cannot be; 0 when that says nothing */
  #runIsAlike(bytes: Uint8Array, words: WordList, run: Run, wanted: number): boolean {
    const most = this.#commonIn(bytes, words, run) + run.to - run.from - 1;
    return most >= wanted && this.#phrase.isAlike(bytes, words, run, most);
  }

  /** Runs are asked for from the left to the right: what the last one shares with this one is not counted again. */
  #commonIn(bytes: Uint8Array, words: WordList, { from, to }: Run): number {
    const bag = this.#bag;
    if (from >= this.#inBagTo) {
      bag.clear();
      this.#inBagFrom = this.#inBagTo = from;
    }
    for (; this.#inBagFrom < from; this.#inBagFrom++)
      bag.remove(bytes, words.from[this.#inBagFrom] as number, words.to[this.#inBagFrom] as number);
    for (; this.#inBagTo < to; this.#inBagTo++)
      bag.add(bytes, words.from[this.#inBagTo] as number, words.to[this.#inBagTo] as number);
    return bag.common;
  }
}

function slotOf(sign: number): number {
  return (sign ^ (sign >>> 9) ^ (sign >>> 19)) & (signSlots - 1);
}

const one: Run = { from: 0, to: 1 };

/** Without words that seem to be said before in the run. */
function distinctLength(words: WordList, { from, to }: Run): number {
  let length = -1;
  for (let index = from; index < to; index++) {
    if (!words.isRepeated(index, from)) length += (words.lengths[index] as number) + 1;
  }
  return length;
}
