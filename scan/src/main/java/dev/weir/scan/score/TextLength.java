package dev.weir.scan.score;

import dev.weir.hash.AnalyzedMail;
import dev.weir.hash.mime.MimePart;
import dev.weir.hash.text.AnalyzedText;

/** How much text stands beside an image: with it, a known image alone says less. */
public enum TextLength {
    /** No text at all. */
    NONE,
    /** A few characters. */
    SHORT,
    /** More than {@value #SHORT_CHARACTERS} characters. */
    LONG;

    private static final int SHORT_CHARACTERS = 25;

    /** The text of a mail; its last part with any text decides. */
    public static TextLength of(AnalyzedMail mail) {
        TextLength length = NONE;
        for (final MimePart part : mail.parts()) {
            final AnalyzedText text = mail.words(part.number());
            if (text != null && text.stripped().length > 0) {
                length = text.stripped().length > SHORT_CHARACTERS ? LONG : SHORT;
            }
        }
        return length;
    }
}
