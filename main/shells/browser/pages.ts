/** The few pages that the browser shell makes itself. None has a script. */

const shell = (title: string, head: string, body: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title} · Talaria</title>${head}
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:15vh auto;padding:0 1rem;color-scheme:light dark}</style></head>
<body>${body}</body>
</html>
`;

/**
 * Sent with the cookie. The page goes on by a refresh of its own, because a redirect would still count as coming from the site that
 * held the link, and a strict cookie would not be sent.
 */
export const enterPage = shell('Opening', '<meta http-equiv="refresh" content="0;url=./">', '<p>Opening Talaria… <a href="./">Continue</a></p>');

/** `html` is our own text, never a visitor's. */
export function messagePage(title: string, html: string): string {
  return shell(title, '', `<h1>${title}</h1><p>${html}</p>`);
}

/** Puts the script that makes `window.talaria` before the app's first script; module scripts run in the order of the page. */
export function withPreload(index: string, source: string): string {
  const tag = `<script type="module" src="${source}"></script>\n    `;
  const first = index.search(/<script\b/i);
  return first === -1 ? index.replace(/<\/head>/i, `${tag}</head>`) : index.slice(0, first) + tag + index.slice(first);
}
