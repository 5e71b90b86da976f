package dev.weir.hash.html;

import java.nio.charset.StandardCharsets;
import java.util.List;

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
                byte[] href = node.attribute(Attribute.HREF);
                node.url = href == null ? null : Url.parseHref(href, suffixes);
                if (node.url != null) {
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
        if (href == null || href.length == 0) {
            return null;
        }
        Url url = Url.parseHref(href, suffixes);
        return url == null && base != null && isRelative(href) ? relative(base, href) : url;
    }

    private static boolean isRelative(byte[] href) {
        for (byte b : href) {
            if (b == ':' || b == '#') {
                return false;
            }
            if (b == '/' || b == '?') {
                return true;
            }
        }
        return true;
    }

    private @Nullable Url relative(Url from, byte[] href) {
        byte[] prefix = prefixOf(from);
        TextBuffer joined = new TextBuffer(prefix.length + href.length + 1);
        joined.append(prefix);
        if (joined.at(joined.length() - 1) != '/') {
            joined.append('/');
        }
        joined.append(href, href[0] == '/' ? 1 : 0, href.length);
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
