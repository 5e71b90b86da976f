package dev.weir.scan.score;

import dev.weir.hash.AnalyzedMail;
import dev.weir.hash.mime.MimePart;
import dev.weir.hash.text.AnalyzedText;

/** How much text stands beside an image: with it, a known image alone says less. */
enum TextLength {
    /** No text at all. */
    NONE,
    /** A few characters. */
    SHORT,
    /** More than a few. */
    LONG;

    /**
     * The text of a mail; its last part with any text decides.
     *
     * @param few bytes of text that are a few characters
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
