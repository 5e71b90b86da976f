package dev.weir.hash.mime.charset;

import java.util.Arrays;
import java.util.Locale;

import com.ibm.icu.text.CharsetDetector;
import com.ibm.icu.text.CharsetMatch;
import dev.weir.hash.bytes.Ascii;
import org.jspecify.annotations.Nullable;
import org.mozilla.universalchardet.UniversalDetector;

/**
 * A charset detector for 8-bit text without a declared charset.
 *
 * <p>This is the only approximation in the mail reader. Rspamd uses Google's compact_enc_det, which has no Java
 * version. This class asks the detectors of ICU and Mozilla in the same manner: for longer text it takes three samples,
 * and two equal answers win. Each detector decides where it agreed with Rspamd in experiments: ICU by letter statistics
 * of languages, Mozilla by the structure of multi-byte text and for Cyrillic and Thai. The answers for text shorter
 * than a line and for binary data are unreliable.
 */
final class CharsetGuess {
    private static final int SAMPLE = 512;
    private static final int SAMPLED_FROM = 1536;
    /** ICU confidence (0 to 100) at or above which its answer for a non-Latin script counts. */
    private static final int SCRIPT_CONFIDENCE = 20;
    /** ICU confidence below which Central European text counts as Western, as in Rspamd. */
    private static final int CENTRAL_CONFIDENCE = 70;
    private static final int CERTAIN = 100;
    private static final int WESTERN_CONFIDENCE = 15;
    /** ICU confidence at or above which the language is Western; the text may still contain words of another script. */
    private static final int LANGUAGE_CONFIDENCE = 50;

    /** In Arabic text, at least one in this many letters starts the article. */
    private static final int ARTICLE = 30;
    /** In Polish text, at least one in this many letters outside ASCII does not exist in Western charsets. */
    private static final int POLISH = 5;

    private CharsetGuess() {}

    /** Returns the name of the most likely charset, or null. */
    static @Nullable String guess(byte[] data) {
        if (data.length < SAMPLED_FROM) {
            return detect(data);
        }
        int middle = data.length / 2;
        String start = detect(Arrays.copyOfRange(data, 0, SAMPLE));
        String center = detect(Arrays.copyOfRange(data, middle, middle + SAMPLE));
        String end = detect(Arrays.copyOfRange(data, data.length - SAMPLE, data.length));
        return vote(start, center, end);
    }

    /**
     * Returns the answer of two samples, or else that of the first. A sample without an answer takes the one of the
     * next sample, or of the first sample if there is no next: with A, B and none, B wins.
     */
    static @Nullable String vote(@Nullable String start, @Nullable String center, @Nullable String end) {
        String first = start != null ? start : center != null ? center : end;
        String second = center != null ? center : end != null ? end : first;
        String third = end != null ? end : second;
        return second != null && second.equals(third) ? second : first;
    }

    private static @Nullable String detect(byte[] data) {
        if (!Ascii.hasHighBytes(data)) {
            return null;
        }
        String single = SingleByteGuess.guess(data);
        if (single != null) {
            return single;
        }
        String byLetters = byLetters(data);
        if (byLetters != null) {
            return byLetters;
        }
        CharsetMatch icu = icu(data);
        String icuName = icu == null ? "" : icu.getName();
        int confidence = icu == null ? 0 : icu.getConfidence();
        String mozilla = mozilla(data);
        return switch (icuName) {
            case "Shift_JIS", "EUC-JP", "EUC-KR", "Big5", "GB18030" ->
                confidence >= CERTAIN || mozilla == null ? icuName : mozilla;
            case "KOI8-R" -> confidence < SCRIPT_CONFIDENCE && mozilla != null ? mozilla : koi8(data);
            case "windows-1251", "ISO-8859-5", "ISO-8859-6", "windows-1256", "ISO-8859-7", "windows-1253", "ISO-8859-8",
                    "ISO-8859-8-I", "windows-1255" ->
                confidence < SCRIPT_CONFIDENCE && mozilla != null ? mozilla : icuName;
            case "ISO-8859-2", "windows-1250" ->
                isNonWestern(mozilla) ? mozilla : confidence >= CENTRAL_CONFIDENCE ? icuName : "windows-1252";
            case "ISO-8859-9", "windows-1254" -> isNonWestern(mozilla) ? mozilla : "windows-1254";
            // Windows-1252 adds quotation marks and dashes to ISO-8859-1, so it reads both charsets.
            case "ISO-8859-1", "windows-1252" ->
                isNonWestern(mozilla) && (confidence < LANGUAGE_CONFIDENCE || hasForeignWords(data))
                        ? mozilla
                        : confidence >= WESTERN_CONFIDENCE ? "windows-1252" : mozilla;
            default -> mozilla != null ? mozilla : isMostlyC1(data) ? "IBM866" : null;
        };
    }

    /** Returns ICU's best answer other than a Unicode form without a byte order mark, which mail never uses. */
    private static @Nullable CharsetMatch icu(byte[] data) {
        CharsetDetector detector = new CharsetDetector();
        detector.setText(data);
        for (CharsetMatch match : detector.detectAll()) {
            if (!match.getName().startsWith("UTF-")) {
                return match;
            }
        }
        return null;
    }

    private static @Nullable String mozilla(byte[] data) {
        UniversalDetector detector = new UniversalDetector();
        detector.handleData(data, 0, data.length);
        detector.dataEnd();
        String name = detector.getDetectedCharset();
        if (name == null) {
            return null;
        }
        return switch (name.toUpperCase(Locale.ROOT)) {
            case "US-ASCII" -> null;
            case "MACCYRILLIC" -> "windows-1251";
            case "KOI8-R" -> koi8(data);
            case "TIS620", "TIS-620" -> "windows-874";
            default -> name;
        };
    }

    private static boolean isNonWestern(@Nullable String name) {
        return name != null && !name.startsWith("WINDOWS-1252") && !name.startsWith("ISO-8859-1");
    }

    /** Whether high bytes form runs of three or more on average, as in words. Symbols and accents stand alone. */
    private static boolean hasForeignWords(byte[] data) {
        int high = 0;
        int runs = 0;
        for (int i = 0; i < data.length; i++) {
            if (data[i] < 0) {
                high++;
                runs += i == 0 || data[i - 1] >= 0 ? 1 : 0;
            }
        }
        return high >= 3 * runs;
    }

    /** Distinguishes KOI8-U from KOI8-R by the Ukrainian letters, which are line drawings in KOI8-R. */
    private static String koi8(byte[] data) {
        for (byte b : data) {
            switch (b & 0xff) {
                case 0xa4, 0xa6, 0xa7, 0xad, 0xb4, 0xb6, 0xb7, 0xbd -> {
                    return "KOI8-U";
                }
                default -> {
                }
            }
        }
        return "KOI8-R";
    }

    /**
     * Recognizes Arabic by its article and Polish by letters that are symbols in other charsets. Both detectors mistake
     * such text for Cyrillic or Western if it is short or mixed with English.
     */
    private static @Nullable String byLetters(byte[] data) {
        int high = 0;
        int arabicWindows = 0;
        int arabicIso = 0;
        int polishIso = 0;
        int polishWindows = 0;
        int polishBoth = 0;
        for (int i = 0; i < data.length; i++) {
            int b = data[i] & 0xff;
            if (b < 0x80) {
                continue;
            }
            high++;
            byte next = i + 1 < data.length ? data[i + 1] : 0;
            arabicWindows += b == 0xc7 && next == (byte) 0xe1 ? 1 : 0;
            arabicIso += b == 0xc7 && next == (byte) 0xe4 ? 1 : 0;
            if (i > 0 && Ascii.isAlphanumeric(data[i - 1]) && Ascii.isAlphanumeric(next)) {
                switch (b) {
                    case 0xb3, 0xbf -> polishBoth++;
                    case 0xb1, 0xb6 -> polishIso++;
                    case 0xb9, 0x9c, 0x9f -> polishWindows++;
                    default -> {
                    }
                }
            }
        }
        if (arabicWindows > 1 && arabicWindows * ARTICLE >= high) {
            return "windows-1256";
        }
        if (arabicIso > 1 && arabicIso * ARTICLE >= high) {
            return "ISO-8859-6";
        }
        if (polishBoth > 0 && (polishBoth + polishIso + polishWindows) * POLISH >= high) {
            return polishIso > 0 && polishWindows == 0 ? "ISO-8859-2" : "windows-1250";
        }
        return null;
    }

    /** Whether most high bytes are in the range where only DOS charsets have letters. */
    private static boolean isMostlyC1(byte[] data) {
        int low = 0;
        int high = 0;
        for (byte b : data) {
            int value = b & 0xff;
            low += value >= 0x80 && value < 0xa0 ? 1 : 0;
            high += value >= 0xa0 ? 1 : 0;
        }
        return low > high;
    }
}
