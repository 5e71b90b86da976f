package dev.weir.hash.url;

import java.nio.charset.StandardCharsets;
import java.util.List;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests that the cache never changes an answer, for any request in any order. */
final class StretchTest {
    @Property(seed = "42")
    void findsTheSameAsAByteByByteSearch(
            @ForAll @CharRange(from = 'a', to = 'b') @StringLength(max = 60) String letters,
            @ForAll @Size(max = 12) List<@IntRange(max = 60) Integer> places) {
        byte[] text = letters.replace('b', ' ').getBytes(StandardCharsets.US_ASCII);
        Stretch stretch = new Stretch(text, UrlBytes.SPACE);
        for (int i = 0; i + 1 < places.size(); i += 2) {
            int start = Math.min(places.get(i), text.length);
            int limit = Math.min(Math.max(start, places.get(i + 1)), text.length);
            int expected = start;
            while (expected < limit && text[expected] != ' ') {
                expected++;
            }
            assertThat(stretch.end(start, limit)).isEqualTo(expected);
        }
    }
}
