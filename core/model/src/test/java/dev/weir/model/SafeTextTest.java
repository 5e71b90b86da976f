package dev.weir.model;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

final class SafeTextTest {
    @ParameterizedTest
    @ValueSource(ints = {0, 7, 8, '\n', '\r', '\t', 0x1b, 0x7f, 0x80, 0x85, 0x9b, 0xad, 0x34f, 0x61c, 0x115f, 0x180e,
        0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x2029, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2060, 0x2066,
        0x2067, 0x2068, 0x2069, 0x206f, 0x3164, 0xd800, 0xdfff, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0x1d173, 0xe0001,
        0xe0041, 0xe0100})
    void showsNothingHiddenAndNothingThatMovesText(int point) {
        String text = "a" + new StringBuilder().appendCodePoint(point) + "b";
        assertThat(SafeText.of(text)).isEqualTo("a\ufffdb");
        assertThat(SafeText.ofLines(text)).isEqualTo(point == '\n' || point == '\t' ? text : "a\ufffdb");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " plain ~ text", "Grüße", "почта", "שלום", "مرحبا", "日本語", "😀", "e\u0301", "\u00a0"})
    void leavesTextThatPeopleRead(String text) {
        assertThat(SafeText.of(text)).isEqualTo(text);
        assertThat(SafeText.ofLines(text)).isEqualTo(text);
    }

    /** Every character that Unicode calls a control, a format or a bidirectional one. */
    @Test
    void knowsTheCategoriesOfUnicode() {
        for (int point = 0; point <= Character.MAX_CODE_POINT; point++) {
            int type = Character.getType(point);
            boolean turns = switch (Character.getDirectionality(point)) {
                case Character.DIRECTIONALITY_LEFT_TO_RIGHT_EMBEDDING,
                        Character.DIRECTIONALITY_LEFT_TO_RIGHT_OVERRIDE,
                        Character.DIRECTIONALITY_RIGHT_TO_LEFT_EMBEDDING,
                        Character.DIRECTIONALITY_RIGHT_TO_LEFT_OVERRIDE,
                        Character.DIRECTIONALITY_POP_DIRECTIONAL_FORMAT,
                        Character.DIRECTIONALITY_LEFT_TO_RIGHT_ISOLATE, Character.DIRECTIONALITY_RIGHT_TO_LEFT_ISOLATE,
                        Character.DIRECTIONALITY_FIRST_STRONG_ISOLATE, Character.DIRECTIONALITY_POP_DIRECTIONAL_ISOLATE,
                        Character.DIRECTIONALITY_PARAGRAPH_SEPARATOR ->
                    true;
                default -> false;
            };
            if (turns || type == Character.CONTROL || type == Character.FORMAT || type == Character.SURROGATE) {
                assertThat(SafeText.isShown(point)).as("%x", point).isFalse();
            }
            if (Character.isLetterOrDigit(point) && SafeText.isShown(point)) {
                assertThat(SafeText.of(Character.toString(point))).isEqualTo(Character.toString(point));
            }
        }
    }
}
