/** Output that tries to get at the person's clipboard, title bar, keyboard or memory. One row per trick: its name, and the bytes as text. */
const BEL = '\x07';
const ST = '\x1b\\';
const PAYLOAD = 'cm0gLXJmIH4K'; // "rm -rf ~\n" in base64

export const HOSTILE_OUTPUT: readonly (readonly [name: string, output: string])[] = [
  ['clipboard written by OSC 52', `\x1b]52;c;${PAYLOAD}${BEL}`],
  ['clipboard written by OSC 52, ended by ST', `\x1b]52;p;${PAYLOAD}${ST}`],
  ['clipboard read by OSC 52', `\x1b]52;c;?${BEL}`],
  ['clipboard written through tmux', `\x1bPtmux;\x1b\x1b]52;c;${PAYLOAD}${BEL}${ST}`],
  ['clipboard written through screen', `\x1bP\x1b]52;c;${PAYLOAD}${BEL}${ST}`],
  ['title set', `\x1b]0;rm -rf ~\r${BEL}`],
  ['title set and asked back', `\x1b]2;\r\nid\r\n${BEL}\x1b[21t`],
  ['icon name asked back', `\x1b]1;\r\nid\r\n${BEL}\x1b[20t`],
  ['title pushed and popped', '\x1b[22;0t\x1b[23;0t'],
  ['window moved, resized, made small, size asked', '\x1b[3;0;0t\x1b[8;500;500t\x1b[2t\x1b[14t\x1b[18t\x1b[19t'],
  ['device attributes asked', '\x1b[c\x1b[>c\x1b[=c\x1b[>q\x1bZ'],
  ['cursor and status asked', '\x1b[5n\x1b[6n\x1b[?6n\x1b[?15n'],
  ['settings asked by DECRQSS with text of its own', `\x1bP$q"p\r\nid\r\n${ST}\x1bP$qm${ST}\x1bP$q q${ST}`],
  ['modes asked by DECRQM', '\x1b[?2004$p\x1b[4$p'],
  ['terminfo asked by XTGETTCAP', `\x1bP+q544e${ST}`],
  ['colours asked', `\x1b]4;1;?${BEL}\x1b]10;?${BEL}\x1b]11;?${BEL}\x1b]12;?${BEL}`],
  ['answerback', '\x05'],
  ['media copy', '\x1b[5i\x1b[4i\x1b[?5i'],
  ['working directory claimed', `\x1b]7;file://evil/etc${BEL}`],
  ['notification', `\x1b]9;you won${BEL}\x1b]777;notify;you;won${BEL}`],
  ['file download by iTerm', `\x1b]1337;File=name=YQ==;inline=0:${PAYLOAD}${BEL}`],
  ['link to a file and to a script', `\x1b]8;;file:///etc/passwd${ST}bank${ST}\x1b]8;;javascript:alert(1)${ST}safe\x1b]8;;${ST}`],
  ['keyboard locked, mouse taken, keys redefined', `\x1b[2h\x1b[?1003h\x1b[?1006h\x1bP1;1|17/0a${ST}`],
  ['endless OSC', `\x1b]0;${'x'.repeat(200_000)}`],
  ['endless DCS', `\x1bPq${'~'.repeat(200_000)}`],
  ['a thousand parameters', `\x1b[${'9;'.repeat(1_000)}m`],
  ['parameters beyond any number', '\x1b[99999999999999999999C\x1b[2147483648;2147483648H\x1b[999999999X\x1b[999999999@\x1b[999999999P'],
  ['a character repeated for ever', 'x\x1b[2000000000b'],
  ['lines inserted and scrolled for ever', '\x1b[999999999L\x1b[999999999S\x1b[999999999T'],
  ['half a character and half a sequence', '\xe2\x82\x1b['],
  ['C1 controls', '\x9b6n\x9d0;t\x9c\x90$qm\x9c'],
];

/** Whatever state a row left behind is ended by this: cancel, string end, full reset. */
export const RECOVER = `\x18${ST}\x1bc`;
