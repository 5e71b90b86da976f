package dev.weir.hash.url;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

import dev.weir.hash.effort.Effort;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of the URL search; every expectation matches Rspamd's output. */
final class UrlFinderTest {
    private final UrlFinder finder = new UrlFinder(PublicSuffixes.standard());

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"http://a.com/x y | http://a.com/x", "_http://a.com y | http://a.com",
        "http:a.com y | http:a.com", "http://%2ea.com y | http://%2ea.com", "http://-%2da.com y | ''",
        "http://%2da.com y | http://%2da.com", "http://。a.com y | http://。a.com",
        "mailto:a@.b.com y | mailto:a@.b.com", "mailto:a@%62.com y | mailto:a@%62.com", "a@%62.com y | ''",
        "http:\\\\a.com y | http:\\\\a.com", "http://a.com, y | http://a.com",
        "http://a.com/x(y)z | http://a.com/x(y", "http://a.com/x'y | http://a.com/x",
        "http://a.com:80/x y | http://a.com:80/x", "http://u:p@a.com/x y | http://u:p@a.com/x",
        "http://1.2.3.4/x y | http://1.2.3.4/x", "http://[::1]/x y | http://[::1]/x",
        "http://a.com,http://b.com | http://a.com http://b.com", "(www.a.com) y | www.a.com", "a.com/p y | a.com/p",
        "a.com) y | a.com", "<a.com> y | a.com", "a.com>y | a.com", "foo.com.bar.com y | foo.com.bar.com",
        "a@b.com, y | a@b.com", "-a@b.com y | a@b.com", "a=b@c.com | b@c.com", "mailto:a@b.com y | mailto:a@b.com",
        "mailto:a@b.рф y | mailto:a@b.рф",
        "mailto:a@b.com?subject=x y | mailto:a@b.com?subject=x", "a@b.com?x | a@b.com",
        "xmailto:a@b.com | mailto:a@b.com", "hotel: 123 rooms | tel: 123 rooms", "tel:+1-23 don't | tel:+1-23 don'",
        ",ftp.a.com, y | ftp.a.com", "<http://a.com/x> y | http://a.com/x", "http://a.com/x>, y | http://a.com/x",
        "word.no y | word.no", "x.ck y | x.ck", "www.a./x y | www.a./x", "http://www.a.? y | http://www.a.?",
        "http://a.com\u2029y | http://a.com", "http://a.com\u0085y | http://a.com", "x@a.com%br y | x@a.com%br",
        "x@a%zz.com y | x@a%zz.com", "mailto:x@a.com?b=c#d y | mailto:x@a.com?b=c",
        "\"sip:john@a.net\" y | john@a.net", "news://a@b.com\" y | a@b.com", "h323:a@b.com\" y | a@b.com",
        "sip:john@a.net> y | john@a.net", "http://a．com/x y | http://a．com/x"})
    void found(String text, String urls) {
        assertThat(find(text, UrlSearch.FULL)).isEqualTo(urls);
    }

    @ParameterizedTest
    @ValueSource(strings = {"xhttp://a.com/ y", "http:/a.com y", "http: x", "http://a.unknown/x",
        "http://a.com:80x y", "http://a.com- y", "http://a.com... y", "http://a.com” y", "a.com, y", "a.com! y",
        "a.com?x y",
        "a.com: y", "=a.com y", "a..com y", "a.-b.com y", "é.com y", "a@b y", "a-@b.com y", "é@b.com y", "a@b.com-x y",
        "tel:abc", "tel:++12 y", "sip:12345 y", "sip:a@b.com y", "H323:a@b.com y", "/www.a.com y",
        "<b>http://a.com/x</b> y", "http://a.com/x> y",
        "<URL:http://a.com/x> y", "1.2.3.4 y", "http://straße.de/ y"})
    void notFound(String text) {
        assertThat(find(text, UrlSearch.FULL)).isEmpty();
    }

    /** What is in a well-formed URL without a known domain, or with a refused scheme, is no URL or address either. */
    @ParameterizedTest
    @ValueSource(strings = {"http://w.t/?u=http://b.com/ y", "http://w.t/x@a.com y", "www.w.t/x@a.com y",
        "ftp.w.t/x@a.com y", "http://u@w.t:80/x@a.com y", "mailto:a@w.t?x@a.com y", "sftp://a@b.com/ y",
        "news://a@b.com y", "nntp://a@b.com y", "telnet://a@b.com y", "webcal://a@b.com y", "sip:o'neil@b.com y",
        "sip:a)b@c.com y", "sip:xü.com/x@c.com y", "http://u@a.com\ufffd y", "http://a\ue000.com/x@b.com y",
        "www.a.com\ufffd/x@b.com y", "mailto:a@b.com\ufffd y", "mailto:a@éb.w?x@b.com y", "http://%2e/ y"})
    void aRefusedUrlCoversWhatIsInIt(String text) {
        assertThat(find(text, UrlSearch.FULL)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"sip:ün@b.com y | n@b.com", "news:a@b.com y | a@b.com",
        "xnews://a@b.com y | a@b.com", "http:/x@a.com y | x@a.com", "see http://x.t/?e=a@b.com> y | a@b.com",
        "mailto:a@w.t/x@a.com y | w.t/x@a.com",
        "http://w.t www.a.com y | www.a.com"})
    void aMalformedUrlCoversNothing(String text, String urls) {
        assertThat(find(text, UrlSearch.FULL)).isEqualTo(urls);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|',
            value = {"see file:///x y | file:///x", "see file:///c:/x y | file:///c",
                "see file:///a.com/b y | file:///a.com", "see file:///x?a@b.com y | file:///x?a@b.com",
                "see file://x y | ''", "see file:\\\\\\x y | ''", "see file:///x.t/z y | ''"})
    void aLinkToAFileHasThreeSlashesAndAHost(String text, String urls) {
        assertThat(find(text, UrlSearch.FULL)).isEqualTo(urls);
    }

    /** After a colon that no port follows, a password extends to the next {@code @} of the word. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"http://a.com:x/y@b.com z | http://a.com:x/y@b.com",
        "http://.a.com:x/y@b.com z | x/y@b.com", "http://~a:x/y@b.com z | x/y@b.com",
        "http://.a.com:x@b.com z | http://.a.com:x@b.com", "http://_a:x/y@b.com z | http://_a:x/y@b.com",
        "http://a.com:/y@b.com/x z | http://a.com:/y@b.com/x", "http://a.com:8y/@b.com z | http://a.com:8y/@b.com",
        "http://a.com:x?(y)@b.com z | http://a.com:x?(y)@b.com", "http://a.com:80/@b.com z | http://a.com:80/@b.com",
        "http://t://u:p@ru z | http://t://u:p@ru", "www.a.com:x/y@b.com z | www.a.com:x/y@b.com",
        "http://a.com:80 y@b.com z | y@b.com", "ASP.NET: https://u:p@b.com z | ASP.NET: https://u:p@b.com",
        "see a.com: (x@b.com) y | a.com: (x@b.com", "see a.com:\tx@b.com y | 'a.com:\tx@b.com'",
        "see a.com: @b.com y | a.com: @b.com", "see a.com:  x@b.com y | x@b.com", "see a.com: x y@b.com z | y@b.com"})
    void aPasswordMayHaveSlashesAndBeginWithASpace(String text, String urls) {
        assertThat(find(text, UrlSearch.FULL)).isEqualTo(urls);
    }

    @Test
    void onlyAPasswordHasALimit() {
        String long254 = "p".repeat(254);
        String longer = "p".repeat(255);
        assertThat(find("http://u:" + long254 + "@b.com", UrlSearch.FULL)).isEqualTo("http://u:" + long254 + "@b.com");
        assertThat(find("http://u:" + longer + "@b.com", UrlSearch.FULL)).isEmpty();
        assertThat(find("http://" + longer + "@b.com", UrlSearch.FULL)).isEqualTo("http://" + longer + "@b.com");
        assertThat(find("http://" + longer + ":x@b.com", UrlSearch.FULL)).isEqualTo("http://" + longer + ":x@b.com");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"http://ür y | http://ür", "http://中1/x y | http://中1/x",
        "http://rü y | ''", "http://中 y | ''"})
    void aPlainNameMayHaveLettersBeyondAscii(String text, String urls) {
        assertThat(find(text, UrlSearch.FULL)).isEqualTo(urls);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"tel:6ab | tel:6ab", "tel:6¦ | tel:6¦", "tel://6 | tel://6", "tel:6 a | ''",
        "tel:6+a | ''", "tel: 6a | ''", "tel:66666é | tel:66666é", "tel:66666中 | tel:66666中",
        "tel:66666\u0085a | ''", "tel:66666\u2028a | ''", "tel:66666😀a | ''", "tel:66666\ue000a | ''"})
    void aTelephoneLinkHasOnlyCharactersOfNames(String text, String urls) {
        assertThat(find(text, UrlSearch.FULL)).isEqualTo(urls);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"tel:030/123456>x | tel:030/123456>", "tel:030/12345}x | tel:030/12345}",
        "tel:///12345 x | tel:///12345 x", "tel:03012345 \u0096 john@a.com | ''", "tel:(abc john@a.com | ''"})
    void aTelephoneLinkHasItsClosingBracketAndCoversWhatIsInIt(String text, String urls) {
        assertThat(find(text, UrlSearch.FULL)).isEqualTo(urls);
    }

    @Test
    void anAddressMayBeginInAUrl() {
        assertThat(find("http://a.com/?e=o'neil@b.com y", UrlSearch.FULL)).isEqualTo(
                "http://a.com/?e=o o'neil@b.com");
        assertThat(find("a@b.com,c@d.com y", UrlSearch.FULL)).isEqualTo("a@b.com b.com,c@d.com");
    }

    /** A name that normalization lengthens is cut at the length that it was written with. */
    @ParameterizedTest
    @CsvSource({"www.a¼.comxyz, a1⁄4.com", "www.a¼.comwxyz, ''", "www.my_host.bÃ¼cher.museum, ''"})
    void aLengthenedNameIsCut(String name, String domain) {
        byte[] utf8 = ("see " + name + " y").getBytes(StandardCharsets.UTF_8);
        assertThat(finder.find(utf8, utf8.length, new int[0], UrlSearch.STRICT, 9, Effort.unlimited()).stream()
                .map(FoundUrl::domain).collect(Collectors.joining(" "))).isEqualTo(domain);
    }

    /** ICU fails to describe the refused character of such a name. */
    @Test
    void aLongNameMayHaveARefusedCharacter() {
        assertThat(find("http://" + "a".repeat(38) + "\u0221.com/ y", UrlSearch.FULL)).isEmpty();
        assertThat(find("http://" + "a".repeat(38) + "\ufffd.com/ y", UrlSearch.FULL)).isEmpty();
    }

    /** Rspamd compares only the low byte of a character with brackets: that of U+5929 is the one of ")". */
    @Test
    void someCharactersEndATelephoneLink() {
        assertThat(find("tel:+493055，三天之内", UrlSearch.FULL)).isEqualTo("tel:+493055，三天");
    }

    @Test
    void aTelephoneLinkEndsWithACharacterThatBeginsWithin65Bytes() {
        String link = "tel:" + "1".repeat(61);
        assertThat(find(link, UrlSearch.FULL)).isEqualTo(link);
        assertThat(find(link + "1", UrlSearch.FULL)).isEmpty();
        assertThat(find(link.substring(1) + "中", UrlSearch.FULL)).isEmpty();
        assertThat(find(link.substring(0, 64) + "中", UrlSearch.FULL)).isEqualTo(link.substring(0, 64) + "中");
    }

    /** With the space and the next word, the last label is a suffix such as {@code net.to}: it is found once more. */
    @ParameterizedTest
    @CsvSource({"see a.net to y, true", "see www.a.net to y, true", "see a.com To, true", "see a.net too y, false",
        "see a.net/x to y, false", "see x@a.net to y, false", "see http://a.net to y, false", "see a.net. to y, false"})
    void aBareDomainMayBeFoundTwice(String text, boolean twice) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        assertThat(finder.find(utf8, utf8.length, new int[0], UrlSearch.FULL, 9, Effort.unlimited()))
                .singleElement().extracting(FoundUrl::repeated).isEqualTo(twice);
    }

    /** In both releases, the inner dot of a suffix like {@code com.br} matches any character. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"see a.com<br> y | a.com", "see a.com,br y | a.com", "see a.com&br y | a.com",
        "see a.com\"br y | a.com\"br", "see a.com\\br y | a.com\\br", "see a.com<b y | ''", "see a.com< br | ''",
        "see a.com..br y | ''", "see a.com<brx y | ''"})
    void aTwoLabelSuffixMayHaveAnotherCharacterAsItsDot(String text, String urls) {
        assertThat(find(text, UrlSearch.FULL)).isEqualTo(urls);
        assertThat(find(text, UrlSearch.STRICT)).isEmpty();
    }

    @Test
    void aLinkToAnAddressEndsAfter319Bytes() {
        String link = "mailto:a@b.com?";
        assertThat(find("see " + link + "x".repeat(304) + " y", UrlSearch.FULL)).isEqualTo(link + "x".repeat(304));
        assertThat(find("see " + link + "x".repeat(310) + " y", UrlSearch.FULL)).isEqualTo(link + "x".repeat(304));
    }

    @Test
    void strictSearchSkipsBareDomains() {
        assertThat(find("a.com and www.b.com and c@d.com", UrlSearch.STRICT)).isEqualTo("www.b.com c@d.com");
    }

    @Test
    void fullStopAtTheEndOfTheTextInvalidatesABareDomain() {
        assertThat(find("see b.com.", UrlSearch.FULL)).isEmpty();
        assertThat(find("see b.com. ", UrlSearch.FULL)).isEqualTo("b.com.");
        assertThat(find("see www.b.com.", UrlSearch.FULL)).isEqualTo("www.b.com.");
    }

    @Test
    void anAddressMayEndInALetterBeyondAsciiAtTheEndOfItsLine() {
        byte[] text = "g@le.рфlimited".getBytes(StandardCharsets.UTF_8);
        List<FoundUrl> found = finder.find(text, text.length, new int[]{9}, UrlSearch.FULL, 9, Effort.unlimited());
        assertThat(found).extracting(FoundUrl::end).containsExactly(9);
        assertThat(find("g@le.рфlimited", UrlSearch.FULL)).isEmpty();
    }

    /** In {@code br.it}, a letter beyond ASCII is in place of the dot. */
    @ParameterizedTest
    @ValueSource(strings = {"fo@com.brüit", "mailto:a@xyz.comüau", "http://xyz.br日it"})
    void aLetterBeyondAsciiMayBeTheDotOfASuffix(String url) {
        assertThat(find(url + " y", UrlSearch.FULL)).isEqualTo(url);
        assertThat(find(url + "t y", UrlSearch.FULL)).isEmpty();
    }

    @Test
    void lineEndEndsAUrlOutsideOfBrackets() {
        byte[] text = "http://a.com/xyz <http://b.com/uvw>".getBytes(StandardCharsets.UTF_8);
        List<FoundUrl> found = finder.find(text, text.length, new int[]{14, 32}, UrlSearch.FULL, 10,
                Effort.unlimited());
        assertThat(found).extracting(FoundUrl::position, FoundUrl::end).containsExactly(
                org.assertj.core.groups.Tuple.tuple(0, 14), org.assertj.core.groups.Tuple.tuple(18, 34));
    }

    @Test
    void secondByteOfALineIsReadLikeRspamd() {
        byte[] bare = "a (b.com) c".getBytes(StandardCharsets.UTF_8);
        assertThat(finder.find(bare, bare.length, new int[]{2, 10}, UrlSearch.FULL, 10, Effort.unlimited())).isEmpty();
        assertThat(finder.find(bare, bare.length, new int[]{2}, UrlSearch.FULL, 10, Effort.unlimited())).hasSize(1);
        byte[] www = "a *www.b.com c".getBytes(StandardCharsets.UTF_8);
        assertThat(finder.find(www, www.length, new int[]{2, 13}, UrlSearch.FULL, 10, Effort.unlimited())).hasSize(1);
        assertThat(finder.find(www, www.length, new int[0], UrlSearch.FULL, 10, Effort.unlimited())).isEmpty();
    }

    @Test
    void findsAUrlAtTheStartOfAText() {
        assertThat(finder.atStart("www.google.com is here".getBytes(StandardCharsets.UTF_8), Effort.unlimited()))
                .isNotNull();
        assertThat(finder.atStart("see www.google.com".getBytes(StandardCharsets.UTF_8), Effort.unlimited())).isNull();
    }

    @Test
    void stopsAtTheLimit() {
        byte[] text = "a@b.com ".repeat(100).getBytes(StandardCharsets.UTF_8);
        assertThat(finder.find(text, text.length, new int[0], UrlSearch.FULL, 7, Effort.unlimited())).hasSize(7);
    }

    private String find(String text, UrlSearch search) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        return finder.find(utf8, utf8.length, new int[0], search, 100, Effort.unlimited()).stream()
                .map(u -> new String(utf8, u.position(), u.length(), StandardCharsets.UTF_8))
                .collect(Collectors.joining(" "));
    }
}
