package dev.weir.hash.html;

import java.nio.charset.StandardCharsets;
import java.util.List;

import dev.weir.hash.bytes.Ascii;
import dev.weir.hash.url.PublicSuffixes;
import dev.weir.hash.url.Url;
import org.jspecify.annotations.Nullable;

/**
 * The resolver for the URLs of tags (docs/reference/hashing.md#html-structure); it also counts the links of a document.
 */
final class LinkResolver {
    /** Maximum length of a base URL in characters; scheme, user and host have at most a third of it each. */
    private static final int MAX_BASE = 1024;
    /** Cost of one tag, in units of {@code Effort.spend}. */
    private static final int STEPS = 128;

    private static final String DATA = "data:";

    private final PublicSuffixes suffixes;
    private final HtmlBudget budget;
    private @Nullable Url base;
    private int links;

    LinkResolver(PublicSuffixes suffixes, HtmlBudget budget) {
        this.suffixes = suffixes;
        this.budget = budget;
    }

    /**
     * Sets the URL of every tag that has one.
     *
     * @param nodes the tags in document order
     */
    void resolve(List<HtmlNode> nodes) {
        for (HtmlNode node : nodes) {
            budget.effort().spend(STEPS);
            if (node.isTag(TagName.BASE)) {
                node.url = urlOf(node);
                if (base == null) {
                    base = node.url;
                }
            } else if (node.is(Model.HREF) && node.inBody) {
                node.url = urlOf(node);
                if (node.url != null) {
                    links++;
                    budget.orderOf(node.url.text());
                }
            }
        }
    }

    private @Nullable Url urlOf(HtmlNode node) {
        byte[] href = node.attribute(Attribute.HREF);
        if (href == null) {
            href = node.attribute(Attribute.ACTION);
        }
        if (href == null) {
            return null;
        }
        if (base == null || isAbsolute(href)) {
            return Url.parseHref(href, suffixes);
        }
        // Rspamd joins the address without its brackets, and what it joins is no URL.
        boolean ofIpv6Host = base.host().indexOf(':') >= 0;
        return ofIpv6Host || startsWithData(href) ? null : relative(base, href);
    }

    /** Whether the base does not apply: {@code mailto:}, or any scheme and a slash. */
    private static boolean isAbsolute(byte[] href) {
        int colon = 0;
        while (colon < href.length && (Ascii.isLetter(href[colon]) || Ascii.isDigit(href[colon]))) {
            colon++;
        }
        if (colon == 0 || colon == href.length || href[colon] != ':') {
            return false;
        }
        boolean slash = colon + 1 < href.length && (href[colon + 1] == '/' || href[colon + 1] == '\\');
        return slash || new String(href, 0, colon, StandardCharsets.US_ASCII).equals("mailto");
    }

    private static boolean startsWithData(byte[] href) {
        return href.length > DATA.length() && new String(href, 0, DATA.length(), StandardCharsets.ISO_8859_1)
                .equalsIgnoreCase(DATA);
    }

    private @Nullable Url relative(Url from, byte[] href) {
        byte[] prefix = prefixOf(from);
        TextBuffer joined = new TextBuffer(prefix.length + href.length + 1);
        joined.append(prefix);
        if (joined.at(joined.length() - 1) != '/') {
            joined.append('/');
        }
        joined.append(href, href.length > 0 && href[0] == '/' ? 1 : 0, href.length);
        return Url.parseHref(joined.toBytes(), suffixes);
    }

    /**
     * Returns the beginning of the base URL. Only its host affects a hash, and each of many links would copy the whole
     * URL.
     */
    private static byte[] prefixOf(Url base) {
        String text = base.text();
        return text.substring(0, Math.min(text.length(), MAX_BASE)).getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the number of opening tags with a URL; repeated URLs count. */
    int links() {
        return links;
    }
}
