import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { workerFile } from '../../../tools/web/page-text.ts';
import { pdfOf } from '../../support/pdf.ts';
import type { Converted, ConvertRequest } from '../../../tools/web/convert.ts';

const ROOT = join(import.meta.dirname, '../../..');
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-page-worker-'));
  await build({ configFile: join(ROOT, 'vite.worker.config.ts'), build: { outDir: folder } });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function convert(request: ConvertRequest): Promise<Converted> {
  const worker = new Worker(join(folder, 'tools/web/page-worker.js'), { workerData: request, stdout: true, stderr: true, execArgv: [] });
  try {
    return await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
  } finally {
    await worker.terminate();
  }
}

test('a packaged app starts the converter of pages from beside its archive', () => {
  expect(workerFile('file:///opt/Talaria%20App/resources/app.asar/dist/tools/web/page-text.js').href).toBe('file:///opt/Talaria%20App/resources/app.asar.unpacked/dist/tools/web/page-worker.js');
  expect(workerFile('file:///home/a/talaria/dist/tools/web/page-text.js').href).toBe('file:///home/a/talaria/dist/tools/web/page-worker.js');
});

test('the built converter needs no package beside it, for pages and for PDF files', async () => {
  await expect(access(join(folder, 'node_modules'))).rejects.toThrow();
  const html = `<html><head><title>Report</title></head><body><article><h1>Heading</h1><p>${'Some words of the article. '.repeat(20)}</p><table><tr><th>a</th></tr><tr><td>1</td></tr></table></article></body></html>`;
  const page = await convert({ kind: 'html', bytes: Buffer.from(html), charset: undefined, url: 'https://a.example/' });
  expect(page.title).toBe('Report');
  expect(page.content).toContain('Some words of the article.');
  expect((await convert({ kind: 'pdf', bytes: pdfOf('Words of a PDF'), charset: undefined, url: 'https://a.example/a.pdf' })).content).toContain('Words of a PDF');
});
