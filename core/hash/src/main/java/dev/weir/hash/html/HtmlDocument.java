package dev.weir.hash.html;

import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.weir.hash.release.Release;
import dev.weir.hash.text.TextException;
import dev.weir.hash.url.PublicSuffixes;
import dev.weir.hash.url.UrlFinder;
import org.jspecify.annotations.Nullable;

/**
 * A parsed HTML part: its visible text and its structure (docs/reference/hashing.md#html). The structure is computed on
 * first use, because few rules need it. Thread-safe, and immutable from the outside.
 *
 * <p>Parsing takes time and memory linear in the input for any markup. At most {@value #MAX_LENGTH} bytes and
 * {@value TreeBuilder#MAX_TAGS} tags are parsed as HTML; the rest is text. Parsing fails only with a
 * {@link dev.weir.hash.effort.NotHashedException}.
 */
public final class HtmlDocument {
    /** Maximum number of bytes parsed as HTML; the rest is text. */
    public static final int MAX_LENGTH = 10 << 20;

    private final byte[] html;
    private final byte[] visibleText;
    private final List<TextException> displayedUrls;
    private final List<HiddenRun> hidden;
    private final TreeBuilder tree;
    private final int links;
    private final PublicSuffixes suffixes;
    /** Shared budget, and the lock for lazy computation: weights depend on the parts parsed before this one. */
    private final HtmlBudget budget;
    private @Nullable HtmlStructure skeleton;
    private @Nullable HtmlStructure weighed;

    private HtmlDocument(byte[] html, TextCollector text, TreeBuilder tree, int links, PublicSuffixes suffixes,
            HtmlBudget budget) {
        this.html = html;
        this.visibleText = text.text();
        this.displayedUrls = text.displayedUrls();
        this.hidden = text.hidden();
        this.tree = tree;
        this.links = links;
        this.suffixes = suffixes;
        this.budget = budget;
    }

    /** Parses the only HTML part of a mail with the built-in public suffix list. */
    public static HtmlDocument parse(byte[] utf8) {
        return parse(utf8, PublicSuffixes.standard(), new HtmlBudget(), Release.V4_1);
    }

    /**
     * Parses a part.
     *
     * @param utf8 the decoded part in UTF-8; invalid bytes stay, and the caller must not change it later
     * @param suffixes public suffix list
     * @param budget budget shared by all HTML parts of one mail, in processing order
     * @param like the release whose rules apply
     */
    public static HtmlDocument parse(byte[] utf8, PublicSuffixes suffixes, HtmlBudget budget, Release like) {
        int length = Math.min(utf8.length, MAX_LENGTH);
        TreeBuilder tree = new TreeBuilder(like);
        new HtmlTokenizer(utf8, length, tree, budget, like).run();
        new StyleResolver(utf8, budget.effort(), like).resolve(tree);
        LinkResolver links = new LinkResolver(suffixes, budget);
        links.resolve(tree.nodes());
        TextCollector text = new TextCollector(utf8, new UrlFinder(suffixes), budget.effort());
        HtmlNode root = tree.root();
        if (root != null) {
            text.collect(root);
        }
        if (tree.textFrom() >= 0) {
            text.appendRaw(tree.textFrom(), length);
        }
        if (length < utf8.length) {
            text.appendRaw(length, utf8.length);
        }
        HtmlDocument document = new HtmlDocument(utf8, text, tree, links.links(), suffixes, budget);
        budget.read(document);
        return document;
    }

    /** Returns the visible text in UTF-8. */
    public byte[] visibleText() {
        return visibleText.clone();
    }

    /** Returns the link texts that display a URL, by offset and length in {@link #visibleText}. */
    public List<TextException> displayedUrls() {
        return displayedUrls;
    }

    /** Returns the texts that the document contains but does not display, in document order. */
    public List<HiddenText> hiddenTexts() {
        return HiddenText.of(html, hidden);
    }

    /** Returns the structure of the document with the weights of its URLs. */
    public HtmlStructure structure() {
        synchronized (budget) {
            if (weighed == null) {
                budget.weighUpTo(this);
            }
            return Objects.requireNonNull(weighed, "weighed with the parts before it");
        }
    }

    /** Computes the weights. Call this for the parts of a mail in the order in which they were parsed. */
    void weigh() {
        if (weighed == null) {
            weighed = HtmlStructure.of(tree.nodes(), tree.tagsCount(), links,
                    CallToAction.weigh(tree.nodes(), visibleText, suffixes, budget));
        }
    }

    private HtmlStructure skeleton() {
        synchronized (budget) {
            if (skeleton == null) {
                skeleton = HtmlStructure.of(tree.nodes(), tree.tagsCount(), links, Map.of());
            }
            return skeleton;
        }
    }

    /** Returns the number of opening constructs: tags, comments, declarations. */
    public int tagsCount() {
        return tree.tagsCount();
    }

    /** Returns the number of tags with a URL. */
    public int totalLinks() {
        return links;
    }

    /** Returns the depth of the deepest tag; the root has depth 0. */
    public int maxDepth() {
        return skeleton().maxDepth();
    }

    /** Returns the structure tokens in document order. */
    public List<String> tokens(boolean withDomains) {
        return withDomains ? skeleton().tokens() : skeleton().tokensNoDomains();
    }
}
