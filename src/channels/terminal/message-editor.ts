// Where a message is typed: pi-tui's editor behind a prompt, with the keys that are the conversation's.
import { type AutocompleteProvider, type Component, Editor, type Focusable, matchesKey } from "@earendil-works/pi-tui";
import type { LiveScreen } from "./live-screen.ts";
import { mentionsOfPaste } from "./pasted-path.ts";
import type { Palette } from "./styled-line.ts";

export interface MessageEditorKeys {
  /** Gets a message with what was pasted in full. */
  onMessage: (text: string) => void;
  /** True takes a key away from the text. */
  takeKey: (key: string) => boolean;
  onInterrupt: () => void;
  onLeave: () => void;
  onSuspend: () => void;
}

/** Stands before the lines that frame the editor's text, so that they can be told. */
const frameMark = "\u0000";

export class MessageEditor implements Component, Focusable {
  readonly #editor: Editor;
  readonly #keys: MessageEditorKeys;
  readonly #palette: Palette;
  /** Where relative paths that are pasted lie. */
  workspace: string | undefined;
  #commandPrefix = "";

  constructor(screen: LiveScreen, palette: Palette, keys: MessageEditorKeys) {
    const { dim, bold } = palette;
    const plain = (text: string) => text;
    this.#palette = palette;
    this.#keys = keys;
    this.#editor = new Editor(screen, {
      borderColor: (text) => frameMark + text,
      selectList: { selectedPrefix: bold, selectedText: bold, description: dim, scrollInfo: dim, noMatch: plain },
    });
    this.#editor.onSubmit = (text) => {
      this.#editor.addToHistory(text);
      keys.onMessage(text);
    };
  }

  get focused(): boolean {
    return this.#editor.focused;
  }

  set focused(isFocused: boolean) {
    this.#editor.focused = isFocused;
  }

  /** What is typed so far, long pastes as their marks. */
  get text(): string {
    return this.#editor.getText();
  }

  /** @param messages oldest first */
  remember(messages: readonly string[]): void {
    for (const message of messages) this.#editor.addToHistory(message);
  }

  complete(provider: AutocompleteProvider, commandPrefix: string): void {
    this.#commandPrefix = commandPrefix;
    this.#editor.setAutocompleteProvider(provider);
  }

  handleInput(data: string): void {
    const pasted = pastedText(data);
    const pictures = pasted === undefined ? undefined : mentionsOfPaste(pasted, this.workspace);
    // What is pasted answers no question.
    if (pasted === undefined && this.#keys.takeKey(data)) return;
    if (pictures !== undefined) this.#insertWord(pictures);
    else if (matchesKey(data, "ctrl+c")) this.#interrupt();
    else if (matchesKey(data, "ctrl+d") && this.#editor.getText() === "") this.#keys.onLeave();
    else if (matchesKey(data, "ctrl+z")) this.#keys.onSuspend();
    else {
      // Enter runs a command as it stands; Tab completes it.
      const isCommand = this.#commandPrefix !== "" && this.#editor.getText().startsWith(this.#commandPrefix);
      if (matchesKey(data, "enter") && isCommand && this.#editor.isShowingAutocomplete())
        this.#editor.handleInput("\x1b");
      this.#editor.handleInput(data);
    }
  }

  render(columns: number): string[] {
    let isFirst = true;
    const lines: string[] = [];
    for (const line of this.#editor.render(Math.max(columns - 2, 1))) {
      if (line.startsWith(frameMark)) {
        // It says how many lines are out of sight, or nothing.
        if (/\d/.test(line)) lines.push(this.#palette.dim(line.slice(1)));
        continue;
      }
      lines.push(`${isFirst ? "> " : "  "}${line}`);
      isFirst = false;
    }
    return lines;
  }

  invalidate(): void {
    this.#editor.invalidate();
  }

  /** With blanks around it. */
  #insertWord(word: string): void {
    const { line, col: column } = this.#editor.getCursor();
    const before = this.#editor.getLines()[line]?.slice(0, column) ?? "";
    this.#editor.insertTextAtCursor(`${/\S$/.test(before) ? " " : ""}${word} `);
  }

  /** What is typed goes first; only then it is about the conversation. */
  #interrupt(): void {
    if (this.#editor.getText() === "") this.#keys.onInterrupt();
    else this.#editor.setText("");
  }
}

/** What a terminal that was asked for brackets pastes; undefined for keys. */
function pastedText(data: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the brackets
  return /^\x1b\[200~([\s\S]*)\x1b\[201~$/.exec(data)?.[1];
}
