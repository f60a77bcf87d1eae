/** Counts what goes by in a forwarded stream, whose events are not parsed: its text at first to the byte, then by its share. */
import type { ForwardingRules } from '../dialect.ts';
import { countDrafts, countMedia, nothingDelivered, type Delivered } from './delivered-media.ts';
import { firstOutputAt, outputBytes } from './output-bytes.ts';

/** So much of a stream is looked at to the byte for its text; only an estimate needs it, and streams are alike from end to end. */
const EXACT_BYTES = 8 * 1024;
/** Events with a picture or with sound are larger: those of a word or two are not searched for them. */
const SMALLEST_MEDIUM = 512;

export class DeliveredCount {
  private readonly rules: ForwardingRules;
  private readonly delivered = nothingDelivered();
  /** Text counted exactly at first, and in how many bytes: what comes later is reckoned at the same share. */
  private counted = 0;
  private countedFrom = 0;
  private later = 0;

  constructor(rules: ForwardingRules) {
    this.rules = rules;
  }

  /** Whole events, as one-byte text. */
  add(events: string): void {
    const length = events.length - this.addMedia(events);
    if (this.countedFrom < EXACT_BYTES) this.addExactly(events, length);
    else this.later += length;
  }

  total(): Delivered {
    const { delivered, counted, countedFrom, later } = this;
    delivered.text = Math.round(counted + (countedFrom === 0 ? 0 : (later * counted) / countedFrom));
    return delivered;
  }

  private addExactly(events: string, length: number): void {
    const { outputNames, thinksUnseen } = this.rules;
    const said = outputBytes(outputNames, events);
    if (this.counted > 0) this.countedFrom += length;
    else if (said > 0) this.countedFrom += Math.max(0, length - firstOutputAt(outputNames, events));
    this.counted += said;
    if (thinksUnseen?.test(events) === true) this.delivered.thinksUnseen = true;
  }

  /** Answers how much of the text they are. */
  private addMedia(events: string): number {
    if (events.length < SMALLEST_MEDIUM) return 0;
    const { mediaNames, draftNames } = this.rules;
    return (
      (mediaNames === undefined ? 0 : countMedia(this.delivered, mediaNames, events)) +
      (draftNames === undefined ? 0 : countDrafts(this.delivered, draftNames, events))
    );
  }
}
