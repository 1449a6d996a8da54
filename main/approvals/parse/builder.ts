/** Puts one word together and cuts it into arguments. */
import { type Field, type Segment, type Substitution, UNKNOWN } from './text.ts';

/** A word made longer than this by expansion counts as unknown. */
const MAX_FIELD_CHARS = 20_000;

/** Collects the pieces of one word and cuts it into fields where an unquoted value has separators. */
export class Builder {
  bare = true;
  glob = false;
  /** A value was left out because the word became too long. */
  overflowed = false;
  substitutions: Substitution[] = [];
  private readonly start: number;
  private readonly end: number;
  private readonly separators: string | undefined;
  private readonly done: Field[] = [];
  private text = '';
  private segments: Segment[] = [];
  private splits = false;
  private present = false;
  private full = false;

  constructor(start: number, end: number, separators: string | undefined) {
    this.start = start;
    this.end = end;
    this.separators = separators;
  }

  add(text: string, start: number, end: number, linear: boolean): void {
    if (text === '' || this.full) return;
    if (this.text.length + text.length > MAX_FIELD_CHARS && !linear) {
      // A value that grows by doubling: what it becomes does not matter, that it is not known does.
      this.full = true;
      this.overflowed = true;
      this.segments.push({ at: this.text.length, start, end, linear: false });
      this.text += UNKNOWN;
      return;
    }
    this.segments.push({ at: this.text.length, start, end, linear });
    this.text += text;
    this.present = true;
  }

  quoted(text: string, start: number, end: number, linear: boolean): void {
    this.present = true;
    this.bare = false;
    this.add(text, start, end, linear);
  }

  /** A value put in by the shell: split where not quoted. */
  value(text: string, start: number, end: number, quoted: boolean): void {
    this.bare = false;
    if (quoted || this.separators === undefined) {
      if (quoted) this.present = true;
      this.add(text, start, end, false);
      return;
    }
    if (text.includes(UNKNOWN)) this.splits = true;
    if (/[*?[]/.test(text)) this.glob = true;
    const { separators } = this;
    if (![...separators].some((separator) => text.includes(separator))) {
      this.add(text, start, end, false);
      return;
    }
    let piece = '';
    for (const character of text) {
      if (separators.includes(character)) {
        this.add(piece, start, end, false);
        piece = '';
        this.breakField();
      } else piece += character;
    }
    this.add(piece, start, end, false);
  }

  /** Nothing stands yet in a field that a separator has begun. */
  get afterBreak(): boolean {
    return this.text === '' && this.done.length > 0;
  }

  breakField(): void {
    if (this.present) this.done.push(this.empty());
    this.text = '';
    this.segments = [];
    this.splits = false;
    this.present = false;
    this.full = false;
  }

  empty(): Field {
    const segments = this.segments.length > 0 ? this.segments : [{ at: 0, start: this.start, end: this.end, linear: false }];
    return { text: this.text, segments, start: this.start, end: this.end, glob: this.glob, splits: this.splits, bare: this.bare, substitutions: this.substitutions };
  }

  finish(): Field[] {
    this.breakField();
    return this.done;
  }
}
