package dev.weir.scan.score;

import dev.weir.hash.AnalyzedMail;
import dev.weir.hash.mime.MimePart;
import dev.weir.hash.text.AnalyzedText;

/** The amount of text next to an image. With text, a known image says less about a mail. */
enum TextLength {
    /** No text at all. */
    NONE,
    /** A few characters. */
    SHORT,
    /** More than a few. */
    LONG;

    /**
     * Returns the text length of a mail. The last part with text decides.
     *
     * @param few the number of bytes below which a text counts as a few characters
     */
    static TextLength of(AnalyzedMail mail, int few) {
        TextLength length = NONE;
        for (MimePart part : mail.parts()) {
            AnalyzedText text = mail.words(part.number());
            if (text != null && text.stripped().length > 0) {
                length = text.stripped().length > few ? LONG : SHORT;
            }
        }
        return length;
    }
}
