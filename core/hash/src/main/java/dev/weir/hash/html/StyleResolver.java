package dev.weir.hash.html;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.StringTokenizer;

import dev.weir.hash.effort.Effort;
import dev.weir.hash.html.css.Display;
import dev.weir.hash.html.css.InlineStyles;
import dev.weir.hash.html.css.Style;
import dev.weir.hash.html.css.StyleSheet;
import dev.weir.hash.html.css.StyleSheets;
import dev.weir.hash.release.Release;
import org.jspecify.annotations.Nullable;

/**
 * The resolver for the style of every tag. Sources in order: attributes and inline style, the style sheets of the
 * document, the defaults of the tag, the parent.
 */
final class StyleResolver {
    /** Cost of one tag, in units of {@link Effort#spend}. */
    private static final int STEPS = 128;

    /** The attributes that state a style. */
    private static final int STATING = Attribute.STYLE.bit() | Attribute.COLOR.bit() | Attribute.BGCOLOR.bit()
            | Attribute.HIDDEN.bit();

    private final byte[] html;
    private final Effort effort;
    private StyleSheet sheet;
    private final Release like;
    private final InlineStyles inline;

    StyleResolver(byte[] html, Effort effort, Release like) {
        this.html = html;
        this.effort = effort;
        this.like = like;
        this.inline = InlineStyles.of(like);
        this.sheet = StyleSheets.of(like).read(html, new int[0]);
    }

    /**
     * Resolves the styles.
     *
     * @param tree the tags; parents come before their children
     */
    void resolve(TreeBuilder tree) {
        sheet = readSheets(tree.sheets());
        for (HtmlNode node : tree.nodes()) {
            effort.spend(STEPS);
            node.style = styleOf(node);
        }
    }

    private StyleSheet readSheets(List<HtmlNode> elements) {
        int[] ranges = new int[2 * elements.size()];
        int at = 0;
        // A sheet that its closing tag does not end contains the sheets after it.
        int readTo = 0;
        for (HtmlNode node : elements) {
            effort.spend(node.closeStart() - node.contentStart);
            effort.repeat(Math.max(0, Math.min(node.closeStart(), readTo) - node.contentStart));
            readTo = Math.max(readTo, node.closeStart());
            ranges[at++] = node.contentStart;
            ranges[at++] = node.closeStart();
        }
        return StyleSheets.of(like).read(html, ranges);
    }

    /** Returns the style of a tag; null if neither the tag nor its parent can have one and no rule applies. */
    private @Nullable Style styleOf(HtmlNode node) {
        boolean own = hasOwnStyle(node);
        Style parent = node.parent == null ? null : node.parent.style;
        Style ruled = ruledStyle(node);
        Display display = displayOf(node);
        if (parent != null && ruled == null && !(own && node.hasAny(STATING))) {
            return parent.heir(display, own);
        }
        Style style = own ? ownStyle(node) : null;
        if (parent != null) {
            if (style == null) {
                style = parent.copy();
            } else {
                style.inherit(parent);
            }
        }
        if (ruled != null) {
            if (style == null) {
                style = ruled.copy();
            } else {
                style.overlay(ruled);
            }
        }
        if (style != null) {
            style.imply(display);
        }
        return style;
    }

    /** Returns the style that the style sheet states for a tag, or null if no rule applies. */
    private @Nullable Style ruledStyle(HtmlNode node) {
        if (sheet.isEmpty() || node.tagName.type() == null) {
            return null;
        }
        return sheet.style(node.name, sheet.hasIds() ? latin1(node, Attribute.ID) : null,
                sheet.hasClasses() ? classes(node) : List.of());
    }

    /** Implied tags, tags without content, and closing tags without an opening one have no style of their own. */
    private static boolean hasOwnStyle(HtmlNode node) {
        return node.kind != HtmlNode.Kind.STRAY && node.contentStart > node.start && !node.is(Model.EMPTY);
    }

    private Style ownStyle(HtmlNode node) {
        if (!node.hasAny(STATING)) {
            return new Style(like);
        }
        AttributeValue css = value(node, Attribute.STYLE);
        Style style = css == null ? new Style(like) : css.style(inline).copy();
        style.stateAttributes(latin1(node, Attribute.COLOR), latin1(node, Attribute.BGCOLOR),
                node.has(Attribute.HIDDEN));
        return style;
    }

    /** Returns the display type of the tag. */
    static Display displayOf(HtmlNode node) {
        if (node.headModel) {
            return Display.HIDDEN;
        }
        if (node.is(Model.BLOCK) || node.is(Model.TABLE)) {
            return Display.BLOCK;
        }
        return node.is(Model.ROW) ? Display.TABLE_ROW : Display.INLINE;
    }

    private @Nullable AttributeValue value(HtmlNode node, Attribute attribute) {
        // Of a repeated attribute the first one counts, but in 3.4 the last one counts for styles.
        return like == Release.V3_4 ? node.last(attribute) : node.first(attribute);
    }

    private @Nullable String latin1(HtmlNode node, Attribute attribute) {
        AttributeValue value = value(node, attribute);
        return value == null ? null : new String(value.bytes(), StandardCharsets.ISO_8859_1);
    }

    private List<String> classes(HtmlNode node) {
        String value = latin1(node, Attribute.CLASS);
        if (value == null) {
            return List.of();
        }
        List<String> classes = new ArrayList<>(2);
        StringTokenizer names = new StringTokenizer(value, " ");
        while (names.hasMoreTokens()) {
            classes.add(names.nextToken());
        }
        return classes;
    }
}
