package dev.weir.hash.html;

import java.util.IdentityHashMap;
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
    private final int tagsCount;
    private final int totalLinks;
    private final int maxDepth;
    private final List<Node> nodes;

    private HtmlDocument(byte[] visibleText, List<TextException> displayedUrls, int tagsCount, int totalLinks,
            int maxDepth, List<Node> nodes) {
        this.visibleText = visibleText;
        this.displayedUrls = displayedUrls;
        this.tagsCount = tagsCount;
        this.totalLinks = totalLinks;
        this.maxDepth = maxDepth;
        this.nodes = nodes;
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
        return new HtmlDocument(text.text(), text.displayedUrls(), tree.tagsCount(), links.links(), depth(tree.nodes()),
                List.copyOf(tree.nodes()));
    }

    /** What a reader sees, UTF-8. */
    public byte[] visibleText() {
        return visibleText.clone();
    }

    /** Texts of links that show a URL, by their offset and length in {@link #visibleText}. */
    public List<TextException> displayedUrls() {
        return displayedUrls;
    }

    /** Opening constructs: tags, comments, declarations. */
    public int tagsCount() {
        return tagsCount;
    }

    /** Tags with a URL. */
    public int totalLinks() {
        return totalLinks;
    }

    /** The depth of the deepest tag; the root has 0. */
    public int maxDepth() {
        return maxDepth;
    }

    /**
     * The words that the structure is hashed from, in document order: {@code name.class@domain}.
     *
     * @param withDomains whether tags name the registrable domain of their URL
     */
    public List<String> tokens(boolean withDomains) {
        return StructureTokens.of(nodes, withDomains);
    }

    /** Parents come before their children, so one pass will do however deep the tree is. */
    private static int depth(List<Node> nodes) {
        IdentityHashMap<Node, Integer> depths = new IdentityHashMap<>();
        int deepest = 0;
        for (Node node : nodes) {
            int depth = node.parent == null ? 0 : depths.getOrDefault(node.parent, 0) + 1;
            depths.put(node, depth);
            if (node.kind != Node.Kind.STRAY) {
                deepest = Math.max(deepest, depth);
            }
        }
        return deepest;
    }
}
