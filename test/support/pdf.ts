/** A PDF file whose pages show one line each. */
export function pdfOf(...lines: readonly string[]): Buffer {
  const first = 4;
  const pages = lines.map((_, index) => `${String(first + index * 2)} 0 R`);
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>', `<</Type/Pages/Kids[${pages.join(' ')}]/Count ${String(lines.length)}>>`, '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    ...lines.flatMap((line, index) => {
      const stream = line === '' ? '' : `BT /F1 24 Tf 72 700 Td (${line}) Tj ET`;
      return [`<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents ${String(first + index * 2 + 1)} 0 R/Resources<</Font<</F1 3 0 R>>>>>>`, `<</Length ${String(stream.length)}>>\nstream\n${stream}\nendstream`];
    }),
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${String(index + 1)} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = text.length;
  text += `xref\n0 ${String(objects.length + 1)}\n0000000000 65535 f \n${offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')}trailer\n<</Size ${String(objects.length + 1)}/Root 1 0 R>>\nstartxref\n${String(start)}\n%%EOF`;
  return Buffer.from(text, 'latin1');
}
