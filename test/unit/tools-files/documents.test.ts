import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { extractDocument } from '../../../tools/files/documents.ts';
import { pdfOf } from '../../support/pdf.ts';

const zip = (files: Readonly<Record<string, string>>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])));

describe('documents', () => {
  test('a notebook shows its cells and outputs in order', async () => {
    const notebook = { cells: [
      { cell_type: 'markdown', source: ['# Title\n', 'text'] },
      { cell_type: 'code', source: 'print(1)', outputs: [{ text: ['1\n'] }, { ename: 'ValueError', evalue: 'bad' }, { data: { 'text/plain': '<x>' } }] },
    ] };
    expect(await extractDocument('a.ipynb', strToU8(JSON.stringify(notebook))))
      .toEqual({ text: '# %% [markdown 1]\n# Title\ntext\n\n# %% [code 2]\nprint(1)\n# %% output\n1\n\nValueError: bad\n<x>' });
  });

  test('a Word document shows paragraphs, tabs and tables', async () => {
    const document = '<w:document><w:body><w:p><w:r><w:t>A &amp; B</w:t></w:r><w:r><w:tab/><w:t xml:space="preserve"> c</w:t></w:r></w:p><w:p/>'
      + '<w:tbl><w:tr><w:tc><w:p><w:r><w:t>1</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>2</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>';
    expect(await extractDocument('a.docx', zip({ 'word/document.xml': document }))).toEqual({ text: 'A & B\t c\n\n1\t2' });
  });

  test('a workbook shows each sheet with its cells in their columns', async () => {
    const files = {
      'xl/workbook.xml': '<workbook><sheets><sheet name="Costs" sheetId="1" r:id="rId7"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels': '<Relationships><Relationship Id="rId7" Target="worksheets/sheet1.xml"/></Relationships>',
      'xl/sharedStrings.xml': '<sst><si><t>item</t></si><si><r><t>ri</t></r><r><t>ch</t></r></si></sst>',
      'xl/worksheets/sheet1.xml': '<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>'
        + '<row r="2"><c r="A2"><v>3.5</v></c><c r="B2" t="b"><v>1</v></c><c r="C2" t="inlineStr"><is><t>in</t></is></c></row></sheetData></worksheet>',
    };
    expect(await extractDocument('a.xlsx', zip(files))).toEqual({ text: '# Sheet: Costs\nitem\t\trich\n3.5\tTRUE\tin' });
  });

  test.each([['a.docx', 'Word document'], ['a.xlsx', 'Excel workbook'], ['a.ipynb', 'notebook']])('damaged %s gives an error that names the kind', async (path, kind) => {
    expect(await extractDocument(path, strToU8('not one'))).toEqual({ error: expect.stringContaining(`is not a valid ${kind}`) as string });
  });

  test('other files are left alone', async () => {
    expect(await extractDocument('a.txt', strToU8('x'))).toBeUndefined();
  });
});

test('a PDF file is read page by page, and a page without text is named', async () => {
  const found = await extractDocument('report.pdf', pdfOf('First page', '', 'Third page'));
  expect(found).toEqual({ text: '--- page 1 of 3 ---\nFirst page\n\n--- page 2 of 3 ---\n(no text on this page: a picture or a scan)\n\n--- page 3 of 3 ---\nThird page' });
  expect((await extractDocument('report.pdf', Buffer.from('not one')))?.error).toMatch(/not a valid PDF file: it does not begin/);
  expect((await extractDocument('report.pdf', pdfOf('x').subarray(0, 60)))?.error).toMatch(/not a valid PDF file/);
});
