package dev.weir.hash.html;

import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.weir.hash.text.TextException;
import dev.weir.hash.url.PublicSuffixes;
import dev.weir.hash.url.UrlFinder;
import org.jspecify.annotations.Nullable;

/**
 * An HTML part, read: its visible text and its structure (hashing specification, sections 2.1 and 6). The structure is
 * put together when it is first asked for, since few rules want it. Thread-safe, and immutable to the outside.
 *
 * <p>It takes time and memory linear in the input, whatever the markup: at most {@value #MAX_LENGTH} bytes and
 * {@value TreeBuilder#MAX_TAGS} tags are read as HTML, the rest is taken for text. Reading fails only with a
 * {@link dev.weir.hash.effort.NotHashedException}.
 */
public final class HtmlDocument {
    /** Bytes read as HTML; what follows is text. */
    public static final int MAX_LENGTH = 10 << 20;

    private final byte[] visibleText;
    private final List<TextException> displayedUrls;
    private final TreeBuilder tree;
    private final int links;
    private final PublicSuffixes suffixes;
    /** Also the lock of what is made on demand: weights depend on the parts read before this one. */
    private final HtmlBudget budget;
    private @Nullable HtmlStructure skeleton;
    private @Nullable HtmlStructure weighed;

    private HtmlDocument(TextCollector text, TreeBuilder tree, int links, PublicSuffixes suffixes, HtmlBudget budget) {
        this.visibleText = text.text();
        this.displayedUrls = text.displayedUrls();
        this.tree = tree;
        this.links = links;
        this.suffixes = suffixes;
        this.budget = budget;
    }

    /** Reads the only HTML part of a mail with the public suffixes that ship with this library. */
    public static HtmlDocument parse(byte[] utf8) {
        return parse(utf8, PublicSuffixes.standard(), new HtmlBudget());
    }

    /**
     * Reads a part.
     *
     * @param utf8 the decoded part, converted to UTF-8 (bytes that are none pass through)
     * @param suffixes decide what is a domain
     * @param budget shared by all HTML parts of one mail, in their order of processing
     */
    public static HtmlDocument parse(byte[] utf8, PublicSuffixes suffixes, HtmlBudget budget) {
        int length = Math.min(utf8.length, MAX_LENGTH);
        TreeBuilder tree = new TreeBuilder();
        new HtmlTokenizer(utf8, length, tree, budget).run();
        new StyleResolver(utf8, budget.effort()).resolve(tree.nodes());
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
        HtmlDocument document = new HtmlDocument(text, tree, links.links(), suffixes, budget);
        budget.read(document);
        return document;
    }

    /** What a reader sees, UTF-8. */
    public byte[] visibleText() {
        return visibleText.clone();
    }

    /** Texts of links that show a URL, by their offset and length in {@link #visibleText}. */
    public List<TextException> displayedUrls() {
        return displayedUrls;
    }

    /** The skeleton of the document with the weights of its URLs. */
    public HtmlStructure structure() {
        synchronized (budget) {
            if (weighed == null) {
                budget.weighUpTo(this);
            }
            return Objects.requireNonNull(weighed, "weighed with the parts before it");
        }
    }

    /** To be called for the parts of a mail in the order in which they were read. */
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

    /** Opening constructs: tags, comments, declarations. */
    public int tagsCount() {
        return tree.tagsCount();
    }

    /** Tags with a URL. */
    public int totalLinks() {
        return links;
    }

    /** Depth of the deepest tag; the root has depth 0. */
    public int maxDepth() {
        return skeleton().maxDepth();
    }

    /** The structure tokens in document order. */
    public List<String> tokens(boolean withDomains) {
        return withDomains ? skeleton().tokens() : skeleton().tokensNoDomains();
    }
}
