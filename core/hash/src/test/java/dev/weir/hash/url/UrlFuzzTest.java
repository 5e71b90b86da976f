package dev.weir.hash.url;

import java.util.List;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.hash.effort.Effort;

/**
 * Fuzz test of URL search and href parsing: URLs are inside the text, in order and disjoint, and no exception escapes.
 */
final class UrlFuzzTest {
    private static final PublicSuffixes SUFFIXES = PublicSuffixes.standard();

    @FuzzTest(maxDuration = "20s")
    void find(FuzzedDataProvider data) {
        UrlSearch search = data.consumeBoolean() ? UrlSearch.FULL : UrlSearch.STRICT;
        int newline = data.consumeInt(0, 100);
        byte[] text = data.consumeRemainingAsBytes();
        List<FoundUrl> found = new UrlFinder(SUFFIXES).find(text, text.length,
                newline > text.length ? new int[0] : new int[]{newline}, search, 1000, Effort.unlimited());
        int end = 0;
        for (FoundUrl url : found) {
            if (url.position() < end || url.length() <= 0 || url.end() > text.length) {
                throw new AssertionError("out of place: " + url);
            }
            end = url.end();
        }
    }

    @FuzzTest(maxDuration = "20s")
    void href(byte[] href) {
        Url url = Url.parseHref(href, SUFFIXES);
        if (url != null && (url.host().isEmpty() || url.registrableDomain().isEmpty())) {
            throw new AssertionError("no host: " + url);
        }
    }
}
