package dev.weir.hash.html;

import java.util.List;

import dev.weir.hash.text.TextException;
import dev.weir.hash.url.PublicSuffixes;
import dev.weir.hash.url.UrlFinder;

/**
 * An HTML part, read: its visible text and its structure (hashing specification, sections 2.1 and 6). Immutable.
 *
 * <p>Reading never fails. It takes time and memory linear in the input, whatever the markup: at most {@value #MAX_LENGTH}
 * bytes and {@value TreeBuilder#MAX_TAGS} tags are read as HTML, the rest is taken for text.
 */
public final class HtmlDocument {
    /** Bytes read as HTML; what follows is text. */
    public static final int MAX_LENGTH = 10 << 20;

    private final byte[] visibleText;
    private final List<TextException> displayedUrls;
    private final HtmlStructure structure;

    private HtmlDocument(byte[] visibleText, List<TextException> displayedUrls, HtmlStructure structure) {
        this.visibleText = visibleText;
        this.displayedUrls = displayedUrls;
        this.structure = structure;
    }

    /** Reads the only HTML part of a mail with the public suffixes that ship with this library. */
    public static HtmlDocument parse(byte[] utf8) {
        return parse(utf8, PublicSuffixes.standard(), new HtmlBudget());
    }

    /**
     * Reads a part.
     *
     * @param utf8     the decoded part, converted to UTF-8 (bytes that are none pass through)
     * @param suffixes decide what is a domain
     * @param budget   shared by all HTML parts of one mail, in their order of processing
     */
    public static HtmlDocument parse(byte[] utf8, PublicSuffixes suffixes, HtmlBudget budget) {
        int length = Math.min(utf8.length, MAX_LENGTH);
        TreeBuilder tree = new TreeBuilder();
        new HtmlTokenizer(utf8, length, tree, budget).run();
        new StyleResolver(utf8).resolve(tree.nodes());
        LinkResolver links = new LinkResolver(suffixes, budget);
        links.resolve(tree.nodes());
        TextCollector text = new TextCollector(utf8, new UrlFinder(suffixes));
        Node root = tree.root();
        if (root != null) {
            text.collect(root);
        }
        if (tree.textFrom() >= 0) {
            text.appendRaw(tree.textFrom(), length);
        }
        if (length < utf8.length) {
            text.appendRaw(length, utf8.length);
        }
        HtmlStructure structure = HtmlStructure.of(tree.nodes(), tree.tagsCount(), links.links(),
                CallToAction.weigh(tree.nodes(), suffixes, budget));
        return new HtmlDocument(text.text(), text.displayedUrls(), structure);
    }

    /** What a reader sees, UTF-8. */
    public byte[] visibleText() {
        return visibleText.clone();
    }

    /** Texts of links that show a URL, by their offset and length in {@link #visibleText}. */
    public List<TextException> displayedUrls() {
        return displayedUrls;
    }

    /** The skeleton of the document. */
    public HtmlStructure structure() {
        return structure;
    }

    /** Opening constructs: tags, comments, declarations. */
    public int tagsCount() {
        return structure.tagsCount();
    }

    /** Tags with a URL. */
    public int totalLinks() {
        return structure.totalLinks();
    }

    /** Depth of the deepest tag; the root has depth 0. */
    public int maxDepth() {
        return structure.maxDepth();
    }

    /** The structure tokens in document order. */
    public List<String> tokens(boolean withDomains) {
        return withDomains ? structure.tokens() : structure.tokensNoDomains();
    }
}
