/** Hands the person a file to keep, the way a browser does. Nothing is sent anywhere. */
export function saveText(fileName: string, text: string, mediaType = 'text/plain'): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${mediaType};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  /** The download has its own reference by the next task. */
  setTimeout(() => { URL.revokeObjectURL(url); }, 0);
}
