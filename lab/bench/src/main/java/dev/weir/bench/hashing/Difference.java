package dev.weir.bench.hashing;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

import dev.weir.hash.AnalyzedMail;
import dev.weir.hash.FuzzyHash;
import dev.weir.hash.mime.MimePart;
import dev.weir.hash.mime.PartKind;
import dev.weir.hash.text.AnalyzedText;
import org.jspecify.annotations.Nullable;

/**
 * The first difference between the analysis of a mail and that of the reference. The earliest stage is the cause.
 *
 * @param stage the first stage that differs
 * @param detail a short text with both sides
 */
public record Difference(Stage stage, String detail) {
    private static final int CONTEXT = 60;

    /** The stages from mail to hash, in order. */
    public enum Stage {
        /** Number or types of parts. */
        PARTS,
        /** The contents of a part after transfer decoding. */
        BODY,
        /** The class of a part: text, image, archive or other. */
        CLASS,
        /** Visible text, charset, joined lines. */
        TEXT,
        /** The language, and thus the stemmer. */
        LANGUAGE,
        /** Words and stems. */
        WORDS,
        /** None of the above: subject, sizes or options. */
        RULE
    }

    /**
     * Compares a mail with the reference.
     *
     * @param hashes   the hashes of {@code ours}
     * @param readings whether a mail with equal hashes but other parts or words differs too
     * @return the first difference, or null if there is none
     */
    public static @Nullable Difference of(AnalyzedMail ours, List<FuzzyHash> hashes, ReferenceMail theirs,
            boolean readings) {
        boolean equal = theirs.hashedAs(hashes.stream().map(ReferenceMail.Hash::of).toList());
        if (equal && !readings) {
            return null;
        }
        Difference difference = find(ours, theirs);
        return equal && difference.stage() == Stage.RULE ? null : difference;
    }

    private static Difference find(AnalyzedMail ours, ReferenceMail theirs) {
        Difference parts = parts(ours, theirs);
        if (parts != null) {
            return parts;
        }
        for (int i = 0; i < theirs.parts().size(); i++) {
            AnalyzedText words = ours.words(i);
            if (words != null) {
                Difference text = text(words, theirs.parts().get(i), "part " + i);
                if (text != null) {
                    return text;
                }
            }
        }
        return new Difference(Stage.RULE, "");
    }

    private static @Nullable Difference parts(AnalyzedMail ours, ReferenceMail theirs) {
        List<MimePart> mine = ours.parts();
        List<ReferenceMail.Part> other = theirs.parts();
        for (int i = 0; i < Math.max(mine.size(), other.size()); i++) {
            if (i >= mine.size() || i >= other.size()) {
                String extra = i < mine.size() ? "only ours " + mine.get(i) : "only theirs " + show(other.get(i));
                return new Difference(Stage.PARTS, "part " + i + ": " + extra);
            }
            String both = "ours " + mine.get(i) + ", theirs " + show(other.get(i));
            if (!mine.get(i).mediaType().equals(other.get(i).mediaType())) {
                return new Difference(Stage.PARTS, both);
            }
            boolean container = mine.get(i).kind() == PartKind.MULTIPART;
            if (!container && !HexFormat.of().formatHex(mine.get(i).digest()).equals(other.get(i).digest())) {
                return new Difference(Stage.BODY, both);
            }
            if (!kind(mine.get(i)).equals(other.get(i).kind()) || mine.get(i).isHtml() != other.get(i).html()) {
                return new Difference(Stage.CLASS, both);
            }
        }
        return null;
    }

    private static String show(ReferenceMail.Part part) {
        return part.kind() + (part.html() ? " (html) " : " ") + part.mediaType() + " " + part.length() + " bytes";
    }

    private static String kind(MimePart part) {
        return switch (part.kind()) {
            case MULTIPART -> "multipart";
            case TEXT -> "text";
            case IMAGE -> "image";
            case ARCHIVE -> "archive";
            case SPECIAL -> "specific";
            case MESSAGE -> "message";
            case OTHER -> "other";
        };
    }

    private static @Nullable Difference text(AnalyzedText ours, ReferenceMail.Part theirs, String where) {
        if (theirs.stripped() != null) {
            byte[] other = HexFormat.of().parseHex(theirs.stripped());
            int at = mismatch(ours.stripped(), other);
            if (at >= 0) {
                return new Difference(Stage.TEXT, where + " at " + at + " of " + other.length + "\n  ours   «"
                        + around(ours.stripped(), at) + "»\n  theirs «" + around(other, at) + "»");
            }
        }
        Difference words = words(ours, theirs, where);
        // Another language whose stemmer makes the same of these words is no difference.
        return words == null || ours.language().equals(theirs.language())
                ? words
                : new Difference(Stage.LANGUAGE, where + ": ours " + ours.language() + ", theirs "
                        + theirs.language());
    }

    private static @Nullable Difference words(AnalyzedText ours, ReferenceMail.Part theirs, String where) {
        if (theirs.stems() == null || theirs.stems().size() != theirs.words()) {
            return ours.stems().size() == theirs.words() || theirs.words() < 0
                    ? null
                    : new Difference(Stage.WORDS,
                            where + ": ours " + ours.stems().size() + " words, theirs " + theirs.words());
        }
        List<String> stems = ours.stems().stream().map(s -> new String(s, StandardCharsets.UTF_8)).toList();
        for (int i = 0; i < Math.max(stems.size(), theirs.stems().size()); i++) {
            if (i >= stems.size() || i >= theirs.stems().size() || !stems.get(i).equals(theirs.stems().get(i))) {
                return new Difference(Stage.WORDS, where + " word " + i + " of " + theirs.stems().size()
                        + "\n  ours   " + around(stems, i) + "\n  theirs " + around(theirs.stems(), i));
            }
        }
        return null;
    }

    private static int mismatch(byte[] a, byte[] b) {
        return Arrays.mismatch(a, b);
    }

    private static String around(byte[] text, int at) {
        int from = Math.max(0, at - CONTEXT);
        int to = Math.min(text.length, at + CONTEXT);
        return new String(text, Math.min(from, to), Math.max(0, to - from), StandardCharsets.UTF_8).replace("\n",
                "\\n");
    }

    private static List<String> around(List<String> words, int at) {
        return words.subList(Math.clamp(at - 6, 0, words.size()), Math.min(words.size(), at + 6));
    }
}
