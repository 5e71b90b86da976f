package dev.weir.hash.mime.content;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import dev.weir.hash.bytes.Ascii;
import dev.weir.hash.bytes.ByteSearch;
import dev.weir.hash.table.TextTable;
import org.jspecify.annotations.Nullable;

/**
 * Content detection by signature (docs/reference/hashing.md#content-detection). Patterns at fixed offsets come first.
 * If their weight is not decisive, patterns at any offset are searched in the head and tail of the body, and the type
 * with the highest total weight wins.
 */
final class MimeSignatures {
    private static final int HEAD = 64 * 1024;
    private static final int TAIL = 32 * 1024;
    /** A weight above this from fixed offsets is decisive. */
    private static final int CONVINCING = 30;
    private static final List<MimeSignature> ALL = TextTable.rows(MimeSignature.class, "signatures.tsv", "\t").stream()
            .map(MimeSignature::ofRow).toList();
    /** Patterns at offset 0, indexed by the first byte of the content. */
    private static final List<List<MimeSignature>> AT_START = IntStream.range(0, 256)
            .mapToObj(first -> ALL.stream().filter(s -> s.isAtStart() && s.takesFirst(first)).toList()).toList();
    private static final List<MimeSignature> IN_PLACE = ALL.stream()
            .filter(s -> s.place() == MimeSignature.Place.AT && !s.isAtStart()).toList();
    private static final List<MimeSignature> SEARCHED = ALL.stream().filter(s -> s.place() != MimeSignature.Place.AT)
            .toList();

    private static final List<String> DOCUMENT_TAGS = List.of("<html", "<head", "<body", "<meta");

    private MimeSignatures() {}

    /** Returns the id of the detected type, or null. */
    static @Nullable String detect(byte[] data, @Nullable String fileName) {
        Map<String, Integer> weights = new HashMap<>();
        addInPlace(IN_PLACE, data, weights);
        if (data.length > 0) {
            addInPlace(AT_START.get(data[0] & 0xff), data, weights);
        }
        String best = best(weights);
        if (best != null && weights.getOrDefault(best, 0) > CONVINCING) {
            return best;
        }
        boolean whole = data.length <= HEAD + TAIL;
        for (MimeSignature signature : SEARCHED) {
            boolean found = whole
                    ? signature.found(data, 0, data.length)
                    : signature.found(data, 0, HEAD) || signature.found(data, data.length - TAIL, data.length);
            if (found) {
                weights.merge(signature.type(), signature.weight(), Integer::sum);
            }
        }
        addPdf(data, fileName, weights);
        addPortableExecutable(data, weights);
        addBatch(data, weights);
        addSvg(data, weights);
        return best(weights);
    }

    private static void addInPlace(List<MimeSignature> signatures, byte[] data, Map<String, Integer> weights) {
        for (MimeSignature signature : signatures) {
            if (signature.matchesInPlace(data)) {
                weights.merge(signature.type(), signature.weight(), Integer::sum);
            }
        }
    }

    private static @Nullable String best(Map<String, Integer> weights) {
        String best = null;
        int weight = 0;
        for (Map.Entry<String, Integer> entry : weights.entrySet()) {
            // Rspamd does not define the order of equal weights. Alphabetical order makes the result stable.
            if (entry.getValue() > weight
                    || (entry.getValue() == weight && best != null && entry.getKey().compareTo(best) < 0)) {
                best = entry.getKey();
                weight = entry.getValue();
            }
        }
        return best;
    }

    /**
     * Looks for {@code %PDF-1.x} in the first 1024 bytes. It weighs more at the very start and with a matching file
     * name.
     */
    private static void addPdf(byte[] data, @Nullable String fileName, Map<String, Integer> weights) {
        int limit = Math.min(data.length, 1024);
        int at = next(data, 0, limit, '%');
        while (at + 8 <= limit && !isPdf(data, at)) {
            at = next(data, at + 1, limit, '%');
        }
        if (at + 8 <= limit) {
            int weight = 10;
            if (at + 8 <= 10) {
                weight += 30;
            }
            if (fileName != null && Ascii.lower(fileName).endsWith(".pdf")) {
                weight += 30;
            }
            weights.merge("pdf", weight, Integer::sum);
        }
    }

    /** Whether {@code PDF-1.x} or a similar version follows the percent sign at {@code at}. */
    private static boolean isPdf(byte[] data, int at) {
        return (data[at + 1] == 'P' || data[at + 1] == 'F') && data[at + 2] == 'D' && data[at + 3] == 'F'
                && data[at + 4] == '-' && (data[at + 5] == '1' || data[at + 5] == '2') && data[at + 6] == '.'
                && Ascii.isDigit(data[at + 7]);
    }

    private static void addPortableExecutable(byte[] data, Map<String, Integer> weights) {
        if (data.length < 64) {
            return;
        }
        int at = (data[60] & 0xff) | (data[61] & 0xff) << 8 | (data[62] & 0xff) << 16 | (data[63] & 0xff) << 24;
        if (at >= 60 && at <= data.length - 4 && data[at] == 'P' && data[at + 1] == 'E' && data[at + 2] == 0 && data[at
                + 3] == 0) {
            weights.merge("exe", 30, Integer::sum);
        }
    }

    /** Looks for {@code @echo off} in any case and with any blanks. */
    private static void addBatch(byte[] data, Map<String, Integer> weights) {
        int limit = Math.min(data.length, HEAD);
        for (int i = next(data, 0, limit, '@'); i < limit; i = next(data, i + 1, limit, '@')) {
            int at = skipBlanks(data, i + 1, limit);
            if (!Ascii.startsWithIgnoreCase(data, at, limit, "echo")) {
                continue;
            }
            int off = skipBlanks(data, at + 4, limit);
            if (off > at + 4 && Ascii.startsWithIgnoreCase(data, off, limit, "off")) {
                weights.merge("bat", 60, Integer::sum);
                return;
            }
        }
    }

    private static int next(byte[] data, int from, int limit, char wanted) {
        return ByteSearch.indexOf(data, from, limit, wanted);
    }

    private static int skipBlanks(byte[] data, int from, int to) {
        int at = from;
        // The bound keeps a body with blanks after many "@" linear.
        while (at < to && at - from < 16 && Ascii.isSpace(data[at])) {
            at++;
        }
        return at;
    }

    /** Looks for a picture: {@code <svg} with no tag of an HTML document before it. */
    private static void addSvg(byte[] data, Map<String, Integer> weights) {
        int limit = Math.min(data.length, 4096);
        for (int i = next(data, 0, limit, '<'); i < limit; i = next(data, i + 1, limit, '<')) {
            if (isDocumentTag(data, i, limit)) {
                return;
            }
            boolean tag = Ascii.startsWithIgnoreCase(data, i, limit, "<svg") && (i + 4 >= data.length
                    || !Ascii.isAlphanumeric(data[i + 4]));
            if (tag || Ascii.startsWithIgnoreCase(data, i, limit, "<!doctype svg")) {
                weights.merge("svg", 40, Integer::sum);
                return;
            }
        }
    }

    private static boolean isDocumentTag(byte[] data, int at, int limit) {
        for (String tag : DOCUMENT_TAGS) {
            int end = at + tag.length();
            if (end < limit && Ascii.startsWithIgnoreCase(data, at, limit, tag)
                    && (data[end] == '>' || Ascii.isSpace(data[end]))) {
                return true;
            }
        }
        return Ascii.startsWithIgnoreCase(data, at, limit, "<!doctype html");
    }
}
