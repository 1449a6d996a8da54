/** From words to a schedule (hermes-runtime 7.6). Pure but for the clock and the time zone it is given. */
import { Cron } from 'croner';
import type { ScheduleSpec } from '../../preload/contract/schedules.ts';

export interface ParsedSchedule { readonly spec: ScheduleSpec; /** In words, for people. */ readonly words: string }
/** `message` names what is wrong and the forms there are. */
export class ScheduleError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ScheduleError';
  }
}

const FORMS = "Forms: '30m' or 'in 2h' (once), 'every 2h', 'daily at 9:00', 'every monday at 18:30', 'weekdays at 8am', 'tomorrow at 9:00', '2026-12-24T18:00', or five cron fields such as '0 9 * * 1-5'.";
const MINUTE = 60_000;
/** Shorter ones would run again before a model has answered. */
const SHORTEST_MS = MINUTE;
const LONGEST_MS = 366 * 24 * 60 * MINUTE;
const UNITS: ReadonlyMap<string, number> = new Map([
  ...['s', 'sec', 'second', 'seconds'].map((unit) => [unit, 1_000] as const), ...['m', 'min', 'mins', 'minute', 'minutes'].map((unit) => [unit, MINUTE] as const),
  ...['h', 'hr', 'hrs', 'hour', 'hours'].map((unit) => [unit, 60 * MINUTE] as const), ...['d', 'day', 'days'].map((unit) => [unit, 24 * 60 * MINUTE] as const),
  ...['w', 'week', 'weeks'].map((unit) => [unit, 7 * 24 * 60 * MINUTE] as const),
]);
const DAYS: ReadonlyMap<string, number> = new Map(['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'].flatMap((short, index) => {
  const long = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'][index] ?? short;
  return [[short, index], [long, index], [`${long}s`, index]] as const;
}));

/** `timezone` is an IANA name. Throws ScheduleError. */
export function parseSchedule(text: string, now: number, timezone: string): ParsedSchedule {
  const plain = text.trim().toLowerCase().replace(/\s+/g, ' ');
  if (plain === '') throw new ScheduleError(`A schedule is missing. ${FORMS}`);
  return delay(plain, now) ?? interval(plain, now) ?? phrase(plain, now, timezone) ?? timestamp(text.trim(), now, timezone) ?? cron(plain, timezone)
    ?? fail(`'${text.trim().slice(0, 100)}' is not a schedule that is understood. ${FORMS}`);
}

function fail(message: string): never {
  throw new ScheduleError(message);
}

function duration(count: string, unit: string): number | undefined {
  const size = UNITS.get(unit);
  return size === undefined ? undefined : Number(count) * size;
}

/** `30m`, `in 2 hours`: once, after that time. */
function delay(plain: string, now: number): ParsedSchedule | undefined {
  const [, count = '', unit = ''] = /^(?:in )?(\d+(?:\.\d+)?) ?([a-z]+)$/.exec(plain) ?? [];
  const ms = count === '' ? undefined : duration(count, unit);
  if (ms === undefined) return undefined;
  if (ms < 1_000 || ms > LONGEST_MS) fail(`'${plain}' is too ${ms < 1_000 ? 'short' : 'long'}: between one second and one year from now.`);
  return { spec: { kind: 'once', at: now + ms }, words: `once, ${count} ${unit} after it was made` };
}

/** `every 2h`, `every 30 minutes`, `hourly`. */
function interval(plain: string, now: number): ParsedSchedule | undefined {
  const [, count = '1', unit = ''] = /^every (?:(\d+(?:\.\d+)?) ?)?([a-z]+)$/.exec(plain) ?? (plain === 'hourly' ? ['', '1', 'hour'] : []);
  const ms = unit === '' ? undefined : duration(count, unit);
  if (ms === undefined) return undefined;
  if (ms < SHORTEST_MS || ms > LONGEST_MS) fail(`'${plain}' is too ${ms < SHORTEST_MS ? 'short: one minute is the least' : 'long: one year is the most'}.`);
  return { spec: { kind: 'interval', everyMs: ms, anchor: now }, words: `every ${count === '1' ? '' : `${count} `}${unit}` };
}

/** Hour and minute of `9`, `9am`, `18:30`, `noon`, `midnight`. */
function timeOfDay(text: string): { hour: number; minute: number } | undefined {
  if (text === 'noon') return { hour: 12, minute: 0 };
  if (text === 'midnight') return { hour: 0, minute: 0 };
  const [, hours = '', minutes = '0', half] = /^(\d{1,2})(?::(\d{2}))? ?(am|pm)?$/.exec(text) ?? [];
  const minute = Number(minutes);
  let hour = Number(hours);
  if (hours === '' || minute > 59 || (half === undefined ? hour > 23 : hour < 1 || hour > 12)) return undefined;
  if (half !== undefined) hour = hour % 12 + (half === 'pm' ? 12 : 0);
  return { hour, minute };
}

const clock = ({ hour, minute }: { hour: number; minute: number }): string => `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;

/** `daily at 9`, `every monday at 18:30`, `weekdays at 8am`, `mon,wed at 7`, `tomorrow at 9`, `at 17:00`. */
function phrase(plain: string, now: number, timezone: string): ParsedSchedule | undefined {
  const [, days = '', time = '9:00'] = /^(?:(?:every|each|on) )?(.*?)(?: ?(?:at|@) ?(.+))?$/.exec(plain) ?? [];
  const at = timeOfDay(time);
  const whenDays = days.replace(/ and |, ?/g, ',').split(',').map((day) => day.trim());
  const numbers = daysOf(whenDays);
  if (numbers === undefined && !['today', 'tomorrow', ''].includes(days)) return undefined;
  if (days === '' && !plain.startsWith('at')) return undefined;
  if (at === undefined) fail(`'${time}' is not a time of day. Write 9:00, 18:30 or 6pm.`);
  if (numbers !== undefined) return recurring(`${String(at.minute)} ${String(at.hour)} * * ${numbers}`, `${days} at ${clock(at)}`, timezone);
  const next = onDay(now, timezone, at, days === 'tomorrow' ? 1 : 0);
  if (days === 'today' && next <= now) fail(`Today at ${clock(at)} is over. Write 'tomorrow at ${clock(at)}'.`);
  return { spec: { kind: 'once', at: next <= now ? onDay(now, timezone, at, 1) : next }, words: `once, ${days === '' ? '' : `${days} `}at ${clock(at)}` };
}

function daysOf(words: readonly string[]): string | undefined {
  const [only = ''] = words;
  if (words.length === 1) {
    if (['day', 'daily', 'morning'].includes(only)) return '*';
    if (['weekday', 'weekdays', 'workday', 'workdays'].includes(only)) return '1-5';
    if (['weekend', 'weekends'].includes(only)) return '0,6';
  }
  const numbers = words.map((word) => DAYS.get(word));
  return numbers.every((day) => day !== undefined) ? numbers.join(',') : undefined;
}

/** That time of the day `ahead` days from today, in the time zone. */
function onDay(now: number, timezone: string, at: { hour: number; minute: number }, ahead: number): number {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone: timezone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(new Date(now));
  const day = new Date(`${parts}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() + ahead);
  return moment(`${day.toISOString().slice(0, 10)}T${clock(at)}:00`, timezone) ?? fail(`${clock(at)} does not exist on that day in ${timezone}.`);
}

/** Milliseconds of a wall clock time in a zone. */
function moment(local: string, timezone: string): number | undefined {
  const found = new Cron(local, { timezone, startAt: '1970-01-01' }).nextRun(new Date(0));
  return found?.getTime();
}

/** ISO 8601. Without an offset it is the configured time zone's clock, not this computer's. */
function timestamp(text: string, now: number, timezone: string): ParsedSchedule | undefined {
  const [, date = '', time = '00:00:00', zone] = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?(Z|[+-]\d{2}:?\d{2})?)?$/i.exec(text) ?? [];
  if (date === '') return undefined;
  const whole = `${date}T${time.length === 5 ? `${time}:00` : time}`;
  const at = zone === undefined ? localMoment(whole, timezone) : Date.parse(`${whole}${zone}`);
  if (at === undefined || !Number.isFinite(at)) return fail(`'${text}' is no date that exists.`);
  if (at <= now) return fail(`'${text}' (${timezone}) is over. Give a time that is still to come.`);
  return { spec: { kind: 'once', at }, words: `once, ${date} at ${time.slice(0, 5)}${zone === undefined ? '' : ` ${zone}`}` };
}

function localMoment(whole: string, timezone: string): number | undefined {
  if (!Number.isFinite(Date.parse(`${whole}Z`)) || !new Date(`${whole}Z`).toISOString().startsWith(whole)) return undefined;
  return moment(whole, timezone);
}

function cron(plain: string, timezone: string): ParsedSchedule | undefined {
  if (plain.split(' ').length !== 5 && !/^@(?:hourly|daily|midnight|weekly|monthly|yearly|annually)$/.test(plain)) return undefined;
  return recurring(plain, `cron ${plain}`, timezone);
}

function recurring(expression: string, words: string, timezone: string): ParsedSchedule {
  let next: Date | null;
  try {
    next = new Cron(expression, { timezone, mode: expression.startsWith('@') ? 'auto' : '5-part' }).nextRun();
  } catch (error) {
    throw new ScheduleError(`'${expression}' is no valid cron line: ${error instanceof Error ? error.message : String(error)}. ${FORMS}`);
  }
  if (next === null) throw new ScheduleError(`'${expression}' never comes: check day and month.`);
  return { spec: { kind: 'cron', expression, timezone }, words };
}

/** The first moment after `after`; undefined when there is none. */
export function nextRun(spec: ScheduleSpec, after: number): number | undefined {
  if (spec.kind === 'once') return spec.at > after ? spec.at : undefined;
  if (spec.kind === 'interval') return spec.anchor + Math.max(1, Math.floor((after - spec.anchor) / spec.everyMs) + 1) * spec.everyMs;
  return new Cron(spec.expression, { timezone: spec.timezone, mode: spec.expression.startsWith('@') ? 'auto' : '5-part' }).nextRun(new Date(after))?.getTime();
}

/** How late a run may begin: half the time to the next one, at least 2 minutes, at most 2 hours (Hermes). */
export function graceMs(spec: ScheduleSpec, dueAt: number): number {
  const following = spec.kind === 'once' ? undefined : nextRun(spec, dueAt);
  const half = following === undefined ? 120 * MINUTE : (following - dueAt) / 2;
  return Math.min(120 * MINUTE, Math.max(2 * MINUTE, half));
}
