package dev.weir.hash.mime.charset.detect;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.weir.hash.table.TextTable;

/**
 * What the detector knows about each encoding: traits, and how likely it makes a byte pair. Encodings are numbered in
 * the order of {@code encodings.tsv}. The README beside that file describes both data files.
 */
final class Encodings {
    static final int NONE = -1;

    /** Traits: the evidence that concerns an encoding. */
    static final int SEVEN_BIT = 1;
    static final int UTF7_MARKS = 1 << 1;
    static final int HZ_MARKS = 1 << 2;
    static final int ESCAPES = 1 << 3;
    static final int UTF8_SEQUENCES = 1 << 4;
    static final int WIDE = 1 << 5;
    static final int ANY_BYTES = 1 << 6;
    static final int TWO_BYTE = 1 << 7;
    /** A whole alphabet beyond ASCII. */
    static final int ALPHABET = 1 << 8;
    /** Accented letters beyond ASCII. */
    static final int ACCENTS = 1 << 9;
    static final int EUC_PHASE = 1 << 10;
    static final int ALL_TRAITS = (1 << 11) - 1;

    private static final String[] TRAIT_NAMES = {"seven-bit", "utf7", "hz", "escapes", "utf8", "wide", "any-bytes",
        "two-byte", "alphabet", "accents", "euc-phase"};
    private static final int PAIRS = 1 << 16;
    private static final int BYTES = 256;
    private static final int FINE = 1024;
    private static final int FINE_TABLES = 4;
    private static final int NO_ENCODING = 0xff;

    private static final Map<String, Integer> BY_NAME = new HashMap<>();
    private static final List<String> NAMES = new ArrayList<>();
    private static final int[] BASE;
    private static final int[] LEVEL;
    private static final int[] TRAITS;
    private static final int[] HINT;
    private static final int[] COARSE;
    private static final int[][] FINE_TABLE;
    private static final byte[] DATA = data();
    private static final int FINE_START;

    static {
        List<String[]> rows = TextTable.rows(Encodings.class, "encodings.tsv", "\t");
        for (String[] row : rows) {
            BY_NAME.put(row[0], NAMES.size());
            NAMES.add(row[0]);
        }
        int count = rows.size();
        FINE_START = PAIRS + count * 3 * BYTES;
        BASE = new int[count];
        LEVEL = new int[count];
        TRAITS = new int[count];
        HINT = new int[count];
        COARSE = new int[count];
        FINE_TABLE = new int[count][FINE_TABLES];
        for (int i = 0; i < count; i++) {
            String[] row = rows.get(i);
            BASE[i] = of(row[1]);
            LEVEL[i] = Integer.parseInt(row[2]);
            TRAITS[i] = traits(row[3]);
            HINT[i] = Integer.parseInt(row[4]);
            COARSE[i] = Integer.parseInt(row[5]);
            String[] tables = row[6].split(" ", -1);
            for (int t = 0; t < FINE_TABLES; t++) {
                FINE_TABLE[i][t] = tables[t].equals("-") ? NONE : Integer.parseInt(tables[t]);
            }
        }
    }

    static final int ASCII = of("US-ASCII");
    static final int UTF_8 = of("UTF-8");
    static final int LATIN_1 = of("ISO-8859-1");
    static final int WINDOWS_1252 = of("windows-1252");
    static final int BINARY = of("x-binaryenc");
    static final int UTF_7 = of("UTF-7");
    static final int HZ = of("HZ-GB-2312");
    static final int ISO_2022_JP = of("ISO-2022-JP");
    static final int ISO_2022_KR = of("ISO-2022-KR");
    static final int ISO_2022_CN = of("ISO-2022-CN");
    static final int EUC_JP = of("EUC-JP");
    static final int UTF_16BE = of("UTF-16BE");
    static final int UTF_16LE = of("UTF-16LE");
    static final int UTF_32BE = of("UTF-32BE");
    static final int UTF_32LE = of("UTF-32LE");
    /** UTF-8 and Windows-1252 mixed. */
    static final int UTF_8_MIXED = of("x-utf8utf8");

    private Encodings() {}

    private static byte[] data() {
        try (InputStream in = Encodings.class.getResourceAsStream("byte_pairs.bin")) {
            return Objects.requireNonNull(in, "byte_pairs.bin is missing from the class path").readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int traits(String names) {
        int traits = 0;
        for (String name : names.split(" ", -1)) {
            for (int i = 0; i < TRAIT_NAMES.length; i++) {
                traits |= name.equals(TRAIT_NAMES[i]) ? 1 << i : 0;
            }
        }
        return traits;
    }

    /** Returns the number of the encoding with this name. */
    static int of(String name) {
        return Objects.requireNonNull(BY_NAME.get(name), name);
    }

    static int count() {
        return NAMES.size();
    }

    static String name(int encoding) {
        return NAMES.get(encoding);
    }

    /** Returns the encoding that this one extends, or itself. */
    static int base(int encoding) {
        return BASE[encoding];
    }

    /** Returns how much this encoding extends its base: the larger of two compatible encodings wins. */
    static int level(int encoding) {
        return encoding == NONE ? -1 : LEVEL[encoding];
    }

    static boolean has(int encoding, int trait) {
        return (TRAITS[encoding] & trait) != 0;
    }

    static int traits(int encoding) {
        return TRAITS[encoding];
    }

    /** Returns the scores before anything is read: what English mail is likely to use. */
    static int[] hints() {
        return HINT.clone();
    }

    /** Returns the encoding in which text of the web has this byte pair most often, or {@link #NONE}. */
    static int likeliest(int first, int second) {
        int encoding = DATA[(first << 8) | second] & 0xff;
        return encoding == NO_ENCODING ? NONE : encoding;
    }

    /** Whether the encoding has no character with this byte pair. */
    static boolean forbids(int encoding, int first, int second) {
        return upperHalves(encoding, first, second) == 0;
    }

    private static int upperHalves(int encoding, int first, int second) {
        return DATA[PAIRS + (encoding * 3 + 2) * BYTES + ((first & 0xf0) | (second >> 4))] & 0xff;
    }

    /** Returns how likely the encoding makes this byte pair, in thirtieths of a bit above a common minimum. */
    static int likelihood(int encoding, int first, int second) {
        int table = PAIRS + encoding * 3 * BYTES;
        int both = upperHalves(encoding, first, second);
        int sum = (DATA[table + (first ^ (second & 0x80))] & 0xff) + (DATA[table + BYTES + second] & 0xff) + both;
        if ((both & 1) == 0) {
            return sum + COARSE[encoding];
        }
        int fine = FINE_TABLE[encoding][(second >> 5) & 3];
        return sum + (DATA[FINE_START + fine * FINE + (((first & 0x1f) << 5) | (second & 0x1f))] & 0xff);
    }
}
