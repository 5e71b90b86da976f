package dev.weir.hash.url;

import java.util.Objects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

final class HrefTest {
    private final PublicSuffixes suffixes = PublicSuffixes.standard();

    @ParameterizedTest
    @CsvSource({"http://example.com/, example.com, example.com", "//foo.example.com/x, foo.example.com, example.com",
        "foo@example.com, example.com, example.com",
        "file://a.net/x, a.net, a.net", "a.com%br, a.com, a.com", "http://a.com%brx, a.comx, a.comx",
        "http://a%zz.com, azz.com, azz.com", "http://a%1.com, acom, acom", "a%%62.com, a%62.com, a%62.com",
        "http://a%6%62.com, a62.com, a62.com", "HTTP://EXAMPLE.com., example.com, example.com",
        "http:///triple.example.com, triple.example.com, example.com",
        "http:a.com, a.com, a.com", "http:\\\\a.com, a.com, a.com", "https://a.com\\@b.com/, b.com, b.com",
        "http://foo.unknownxyz/, foo.unknownxyz, foo.unknownxyz", "http://0x7f.1/, 127.0.0.1, 127.0.0.1",
        "http://2130706433/, 127.0.0.1, 127.0.0.1", "http://1.2.3/, 1.2.0.3, 1.2.0.3",
        "http://0300.1.2.3/, 192.1.2.3, 192.1.2.3", "http://[::1]/, ::1, ::1", "http://x..com/, x..com, .com",
        "http://a b.com, ab.com, ab.com", "http://a%2ecom/, a.com, a.com", "http://ПРИМЕР.РФ/, пример.рф, пример.рф",
        "http://xn--e1afmkfd.xn--p1ai/, xn--e1afmkfd.xn--p1ai, xn--e1afmkfd.xn--p1ai",
        "http://ｅｘａｍｐｌｅ.com/, example.com, example.com", "http://example。com/, example.com, example.com",
        "http://user:p@ss@x.com/, ss@x.com, ss@x.com", "x.com@y.com, y.com, y.com",
        "mailto:joe@x.com?subject=a, x.com, x.com", "http://co.uk, co.uk, co.uk",
        "http://city.kawasaki.jp/, city.kawasaki.jp, city.kawasaki.jp",
        "http://foo.bar.kawasaki.jp/, foo.bar.kawasaki.jp, foo.bar.kawasaki.jp",
        "http://me.github.io/, me.github.io, me.github.io", "http://github.io/, github.io, github.io",
        "https:%2f%2ffoo.com, foo.com, foo.com", "http://foo.com%3a80/x, foo.com, foo.com",
        "http://1.2.3.4.com/, 1.2.3.4.com, 4.com", "http://x.com/%zz, x.com, x.com",
        "tel:+123456, 123456, 123456", "http://localhost/, localhost, localhost",
        "http://a.com!/, a.com!, a.com!", "http://foo-, foo-, foo-", "http://u@@a.com/x, a.com, a.com",
        "http://mail.a./, mail.a., mail.a.", "http://foo./, foo., foo", "foo./, foo., foo",
        "http://b.www.a./, b.www.a, www.a", "www.a./, www.a, www.a", "http://a\u034fb.com/, ab.com, ab.com",
        "http://[2001:DB8:0:0:0:0:0:1]/, 2001:db8::1, 2001:db8::1", "http://[1:0:0:2:0:0:0:3]/, 1:0:0:2::3, 1:0:0:2::3",
        "http://[0:0:0:0:0:0:0:0]/, ::, ::", "http://[::ffff:1.2.3.4]/, ::ffff:1.2.3.4, ::ffff:1.2.3.4",
        "http://[::1.2.3.4]/, ::1.2.3.4, ::1.2.3.4", "http://[1::2::3]/, 1::2::3, 1::2::3",
        "//a.com/x:/y, a.com, a.com", "http://a.com:x?e=i@mail.b.com, mail.b.com, b.com",
        "http://a.com:/y@b.com/, b.com, b.com", "http://a.com:80/y@b.com/, a.com, a.com",
        "http://a.com:8y/@b.com, b.com, b.com", "http://a.com)b:x/y@b.com, a.com, a.com",
        "mailto:a@b.com%br, b.com, b.com", "http://-a:x\\\\@b.com, b.com, b.com",
        "http://~x:x\\y@b.com, b.com, b.com"})
    void findsHostAndDomain(String href, String host, String domain) {
        Url url = Objects.requireNonNull(Url.parseHref(href, suffixes), href);
        assertThat(url.host()).isEqualTo(host);
        assertThat(url.registrableDomain()).isEqualTo(domain);
    }

    /** Without white space, a link to an address has at most 319 bytes; a missing scheme counts. */
    @Test
    void refusesALongLinkToAnAddress() {
        String link = "mailto:a@b.com? ";
        assertThat(Url.parseHref(link + "x".repeat(304), suffixes)).isNotNull();
        assertThat(Url.parseHref(link + "x".repeat(305), suffixes)).isNull();
        assertThat(Url.parseHref("a@b.com?" + "x".repeat(304), suffixes)).isNotNull();
        assertThat(Url.parseHref("a@b.com?" + "x".repeat(305), suffixes)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "#top", "/rel", "page.html", "page.php?x=a.com", "./x.com", "javascript:alert('a.com')",
        "data:text/html,a.com", "cid:foo@bar.com", "http://", "http:///", "http://?x", "http:/a.com", "foo.unknownxyz",
        "1.2.3.4", "1.2.3.4/x", "mailto:x", "news:a.net", "news://a.net", "nntp://a.net/x",
        "sftp://a.net", "telnet:a.net", "webcal://a.net/c", "http://a.%bcom", "sip:a@b.com", "h323:a@b.com",
        "mailto:a@b.com,c@d.com", "http://h.com:0/",
        "http://h.com:/x",
        "http://h.com:99999/", "http://-x.com/", "http://.x.com/", "{{url}}", "http://[zz]/", "localhost",
        "http://a.com!", "http://ww!", "http://u@ww!", "a.com!", "http://^a.com/", "http://!a.com", "mailto:a@b.com?",
        "http://[::1]]", "http://a.com:80(x", "//a.com/?u=http://b.com", "http://b\u00fccher.com@a.com/",
        "http://\u0130.com/", "http://a.com:x/\u00fc@b.com", "http://\u05d0.com/", "http://\ud83d\ude00.com/",
        "http://-a:x/y@b.com", "http://~x:/@b.com",
        "http%3a//foo.com", "x.com:y",
        "example.com:8080/x", "http://a:80:90/"})
    void rejectsReferencesWithoutAHost(String href) {
        assertThat(Url.parseHref(href, suffixes)).isNull();
    }
}
