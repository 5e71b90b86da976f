package dev.weir.hash.text;

import java.util.function.Supplier;

import com.ibm.icu.lang.UCharacter;
import org.jspecify.annotations.Nullable;

/** A language detector (docs/reference/hashing.md#language) that tries the script, then stop words, then trigrams. */
final class LanguageDetector {
    /** Minimum number of tokens for trigram statistics. */
    private static final int LEAST_TOKENS = 10;
    /** Number of letters of one group after which the scan may stop. */
    private static final int ENOUGH_LETTERS = 32;
    private static final int GREEK = 1;
    private static final int TELUGU = 4;
    private static final int TAMIL = 8;
    private static final int GUJARATI = 16;
    private static final int THAI = 32;
    private static final int GEORGIAN = 64;
    private static final int ARMENIAN = 256;
    private static final int JAPANESE = 512;
    private static final int KOREAN = 1024;
    private static final int CYRILLIC = 2048;
    private static final int DEVANAGARI = 4096;
    private static final int ARABIC = 8192;
    private static final int HEBREW = 16384;

    private final LanguageData data;

    LanguageDetector(LanguageData data) {
        this.data = data;
    }

    /**
     * Returns the language of a text; empty if it has no token.
     *
     * @param text the stripped text
     * @param letters letters of the text
     * @param tokens words of the text
     * @param digest digest of the part, requested only if scripts and stop words are not decisive
     */
    String detect(byte[] text, Letters letters, TokenList tokens, Supplier<byte[]> digest) {
        if (tokens.size() == 0) {
            return "";
        }
        String byScript = letters.language();
        if (byScript != null) {
            return byScript;
        }
        Script script = letters.script();
        String byWords = data.stopWords(script).best(text);
        if (byWords != null) {
            return byWords;
        }
        if (tokens.size() < LEAST_TOKENS) {
            return "en"; // whatever the script
        }
        return data.trigrams(script).best(tokens.forms(), seed(digest.get()));
    }

    private static long seed(byte[] digest) {
        long seed = 0;
        for (int i = Math.min(8, digest.length) - 1; i >= 0; i--) {
            seed = (seed << 8) | (digest[i] & 0xff);
        }
        return seed;
    }

    /** The scripts of the letters of a text. */
    record Letters(int groups, int special, int chinese) {
        /** The group of ASCII letters, which are not decisive on their own. */
        private static final Letters NONE = new Letters(0, 0, 0);

        static Letters of(Utf8Text chars) {
            return chars.isAscii() ? NONE : of(chars.wellFormed());
        }

        private static Letters of(String text) {
            int groups = 0;
            int latin = 0;
            int special = 0;
            int chinese = 0;
            for (int i = 0; i < text.length();) {
                char unit = text.charAt(i);
                if (unit < 0x100) {
                    if (unit < 0x80 ? (unit | 32) >= 'a' && (unit | 32) <= 'z' : UCharacter.isLetter(unit)) {
                        latin++;
                    }
                    i++;
                    continue;
                }
                int c = text.codePointAt(i);
                i += Character.charCount(c);
                if (isChinese(c)) {
                    chinese++;
                } else {
                    int group = group(c);
                    if (group == 0 || !UCharacter.isLetter(c)) {
                        continue;
                    }
                    groups |= group;
                    special++;
                }
                if ((special > ENOUGH_LETTERS && special > latin)
                        || (chinese > ENOUGH_LETTERS && chinese > latin && special > 0)) {
                    break;
                }
            }
            return new Letters(groups, special, chinese);
        }

        /** Returns the language that the script alone tells, or null. */
        @Nullable
        String language() {
            if (has(GREEK)) {
                return "el";
            }
            if (has(TELUGU)) {
                return "te";
            }
            if (has(TAMIL)) {
                return "ta";
            }
            if (has(GUJARATI)) {
                return "gu";
            }
            if (has(THAI)) {
                return "th";
            }
            if (has(GEORGIAN)) {
                return "ka";
            }
            if (has(ARMENIAN)) {
                return "hy";
            }
            if (has(JAPANESE) && (chinese <= 5 || chinese < 5L * special)) {
                return "ja";
            }
            if (has(KOREAN)) {
                return "ko";
            }
            return chinese > 0 ? "zh-CN" : null;
        }

        Script script() {
            if (has(CYRILLIC)) {
                return Script.CYRILLIC;
            }
            if (has(DEVANAGARI)) {
                return Script.DEVANAGARI;
            }
            return has(ARABIC) ? Script.ARABIC : Script.LATIN;
        }

        private boolean has(int group) {
            return (groups & group) != 0;
        }

        /**
         * Whether the character is a unified ideograph (including extensions A and B), a compatibility ideograph or a
         * radical.
         */
        private static boolean isChinese(int c) {
            return (c >= 0x4e00 && c <= 0x9fff) || (c >= 0x3400 && c <= 0x4dbf) || (c >= 0x20000 && c <= 0x2a6df)
                    || (c >= 0xf900 && c <= 0xfaff);
        }

        /** Returns the group of the Unicode block. Rspamd does not know Malayalam, Sinhala, or Hangul syllables. */
        private static int group(int c) {
            if (c < 0x370 || c > 0x31ff) {
                return 0;
            }
            if (c < 0x400) {
                return GREEK;
            }
            if (c < 0x500) {
                return CYRILLIC;
            }
            return switch (c >> 7) {
                case 0x530 >> 7 -> c >= 0x590 ? HEBREW : c >= 0x530 ? ARMENIAN : 0;
                case 0x600 >> 7, 0x680 >> 7 -> ARABIC;
                case 0x900 >> 7 -> DEVANAGARI;
                case 0xa80 >> 7 -> GUJARATI;
                case 0xb80 >> 7 -> TAMIL;
                case 0xc00 >> 7 -> TELUGU;
                case 0xe00 >> 7 -> THAI;
                case 0x1080 >> 7 -> c >= 0x10a0 ? GEORGIAN : 0;
                case 0x1100 >> 7, 0x1180 >> 7 -> KOREAN;
                case 0x3000 >> 7 -> c >= 0x3040 ? JAPANESE : 0;
                case 0x3080 >> 7 -> JAPANESE;
                case 0x3100 >> 7 -> c >= 0x3130 ? KOREAN : 0;
                case 0x3180 >> 7 -> c < 0x3190 ? KOREAN : 0;
                default -> 0;
            };
        }
    }
}
