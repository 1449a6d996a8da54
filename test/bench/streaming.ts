/** Figures of design §6 for the window while a model writes 200 tokens a second and three terminals print. */
import { setTimeout as pause } from 'node:timers/promises';
import { startApp } from '../support/browser.ts';
import { newChat, openDock, say } from '../support/deeds.ts';
import { percentile, type Figure } from '../support/figures.ts';
import { startModelServer, type StreamStep } from '../support/model/server.ts';
import { frameGaps, tracedTasks } from '../support/page-trace.ts';

const TOKENS_PER_SECOND = 200;
const SECONDS = 10;
/** About a thousand lines a second, as a loud build prints. */
const BUSY = 'while true; do seq -f "line %g of what a build prints" 50; sleep 0.05; done';

/** What models write: prose with marks, lists, a table, code. */
const PIECE = `## A part of the answer

The first thing to see is that **nothing waits**: every \`delta\` goes to the window as it comes, and the list below grows while it is read.

1. Read the file with \`cat\` and look at its *last* lines.
2. Compare them with what was there before.
   - one more level
   - and its end

| Column | Meaning | Unit |
|---|---|---|
| first | how long it took | ms |
| second | how much it was | MB |

\`\`\`ts
export function added(left: number, right: number): number {
  const sum = left + right; // in one place
  return sum;
}
\`\`\`

And then it goes on with a paragraph of plain words that says what the code above does, why it is written like this, and what else could be done.

`;

/** Text in pieces of about a token, each behind a gate of its own. */
function gated(): { readonly steps: StreamStep[]; readonly count: number } {
  const count = TOKENS_PER_SECOND * SECONDS;
  const text = PIECE.repeat(Math.ceil((count * 4) / PIECE.length));
  const steps = Array.from({ length: count }, (_, index): StreamStep[] => [{ gate: `token ${index}` }, { text: text.slice(index * 4, index * 4 + 4) }]).flat();
  return { steps: [...steps, { finish: 'stop' }], count };
}

export async function bench(): Promise<Figure[]> {
  const { steps, count } = gated();
  const model = await startModelServer({ script: [{ steps }] });
  const app = await startApp({ env: { OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: 'test-key', HERMES_MODEL: 'scripted-model' } });
  try {
    const { page, browser } = app;
    await newChat(page);
    const panel = await openDock(page, 'Terminals');
    for (let number = 1; number <= 3; number += 1) {
      await say(page, `/tool terminal ${JSON.stringify({ command: `: ${number}; ${BUSY}`, background: true, pty: true })}`);
      await panel.getByRole('list', { name: 'Terminals' }).getByRole('button').filter({ hasText: `: ${number};` }).first().waitFor();
    }
    await panel.getByRole('list', { name: 'Terminals' }).getByRole('button').first().click();
    await say(page, 'Tell me everything.');
    await model.reached('token 0');
    const stream = async (): Promise<void> => {
      const started = performance.now();
      for (let opened = 0; opened < count;) {
        const due = Math.min(count, Math.floor(((performance.now() - started) * TOKENS_PER_SECOND) / 1_000));
        for (; opened < due; opened += 1) model.open(`token ${opened}`);
        await pause(2);
      }
      await messages.locator('[aria-busy="true"]').waitFor({ state: 'detached' });
    };
    const messages = page.getByRole('region', { name: 'Messages' });
    let gaps: number[] = [];
    const tasks = await tracedTasks(browser, page, async () => { gaps = await frameGaps(page, stream); });
    const headings = await messages.getByRole('heading', { name: 'A part of the answer' }).count();
    if (headings < Math.floor((count * 4) / PIECE.length)) throw new Error(`the window shows ${headings} parts of the answer only`);
    return [
      { name: 'streaming 200 tok/s, 3 busy terminals: longest task', value: tasks[0]?.milliseconds ?? Number.NaN, unit: 'ms', bar: '≤ 50' },
      { name: 'streaming 200 tok/s: longest task, processor time', value: Math.max(...tasks.map((task) => task.cpuMilliseconds)), unit: 'ms' },
      { name: 'streaming 200 tok/s: tasks over 50 ms', value: tasks.filter((task) => task.milliseconds > 50).length, unit: '', bar: '≤ 0' },
      { name: 'streaming 200 tok/s: main thread busy', value: tasks.reduce((sum, task) => sum + task.cpuMilliseconds, 0) / SECONDS / 10, unit: '%' },
      { name: 'streaming 200 tok/s: time between frames, p95', value: percentile(gaps, 0.95), unit: 'ms' },
    ];
  } finally {
    await app.close();
    await model.close();
  }
}
