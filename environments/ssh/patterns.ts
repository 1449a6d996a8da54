/** Host patterns of OpenSSH: `*` and `?`, letters of either case. Linear in time, whatever the pattern. */

/** Whether all of `name` fits. */
export function matchesPattern(pattern: string, name: string): boolean {
  const wanted = pattern.toLowerCase();
  const text = name.toLowerCase();
  let at = 0;
  let within = 0;
  let star = -1;
  let resume = 0;
  while (at < text.length) {
    if (within < wanted.length && (wanted[within] === '?' || (wanted[within] === text[at] && wanted[within] !== '*'))) {
      at += 1;
      within += 1;
    } else if (wanted[within] === '*') {
      star = within;
      resume = at;
      within += 1;
    } else if (star >= 0) {
      // The last star takes one letter more.
      resume += 1;
      at = resume;
      within = star + 1;
    } else {
      return false;
    }
  }
  while (wanted[within] === '*') within += 1;
  return within === wanted.length;
}
