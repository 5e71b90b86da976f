package dev.weir.hash.html;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringTokenizer;

import dev.weir.hash.effort.Effort;
import dev.weir.hash.html.css.Declarations;
import dev.weir.hash.html.css.Display;
import dev.weir.hash.html.css.Style;
import dev.weir.hash.html.css.StyleSheet;
import dev.weir.hash.release.Release;
import org.jspecify.annotations.Nullable;

/**
 * The resolver for the style of every tag. Sources in order: attributes and inline style, the style sheets of the
 * document, the defaults of the tag, the parent.
 */
final class StyleResolver {
    /** Limits of the cache of inline styles: number of styles, and characters of each. */
    private static final int MAX_REMEMBERED = 256;
    private static final int MAX_REMEMBERED_LENGTH = 256;

    /** Cost of one tag, in units of {@link Effort#spend}. */
    private static final int STEPS = 128;

    private final byte[] html;
    private final Effort effort;
    private final StyleSheet sheet;
    private final Release like;
    /** Cache of parsed inline styles; newsletters repeat the same ones many times. */
    private final Map<String, Declarations> inline = new HashMap<>();

    StyleResolver(byte[] html, Effort effort, Release like) {
        this.html = html;
        this.effort = effort;
        this.like = like;
        this.sheet = new StyleSheet(like);
    }

    /**
     * Resolves the styles.
     *
     * @param tree the tags; parents come before their children
     */
    void resolve(TreeBuilder tree) {
        // A sheet that its closing tag does not end contains the sheets after it.
        int readTo = 0;
        for (HtmlNode node : tree.sheets()) {
            effort.spend(node.closeStart() - node.contentStart);
            effort.repeat(Math.max(0, Math.min(node.closeStart(), readTo) - node.contentStart));
            readTo = Math.max(readTo, node.closeStart());
            sheet.add(new String(html, node.contentStart, node.closeStart() - node.contentStart,
                    StandardCharsets.ISO_8859_1));
        }
        for (HtmlNode node : tree.nodes()) {
            effort.spend(STEPS);
            node.style = styleOf(node);
        }
    }

    /** Returns the style of a tag; null if neither the tag nor its parent can have one and no rule applies. */
    private @Nullable Style styleOf(HtmlNode node) {
        Style style = hasOwnStyle(node) ? ownStyle(node) : null;
        Style parent = node.parent == null ? null : node.parent.style;
        if (parent != null) {
            if (style == null) {
                style = parent.copy();
            } else {
                style.inherit(parent);
            }
        }
        Style stated = sheet.isEmpty() || node.tagName.type() == null
                ? null
                : sheet.style(node.name, latin1(node, Attribute.ID), classes(node));
        if (style == null) {
            style = stated;
        } else if (stated != null) {
            style.overlay(stated);
        }
        if (style != null) {
            style.imply(displayOf(node));
        }
        return style;
    }

    /** Implied tags, tags without content, and closing tags without an opening one have no style of their own. */
    private static boolean hasOwnStyle(HtmlNode node) {
        return node.kind != HtmlNode.Kind.STRAY && node.contentStart > node.start && !node.is(Model.EMPTY);
    }

    private Style ownStyle(HtmlNode node) {
        String css = latin1(node, Attribute.STYLE);
        Style style = css == null ? new Style(like) : declarations(css).style().copy();
        style.stateAttributes(latin1(node, Attribute.COLOR), latin1(node, Attribute.BGCOLOR),
                node.attribute(Attribute.HIDDEN) != null);
        return style;
    }

    private Declarations declarations(String css) {
        if (css.length() > MAX_REMEMBERED_LENGTH || (inline.size() >= MAX_REMEMBERED && !inline.containsKey(css))) {
            return Declarations.inline(css, like);
        }
        return inline.computeIfAbsent(css, unseen -> Declarations.inline(unseen, like));
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

    private @Nullable String latin1(HtmlNode node, Attribute attribute) {
        // Of a repeated attribute the first one counts, but in 3.4 the last one counts for styles.
        byte[] value = like == Release.V3_4 ? node.lastAttribute(attribute) : node.attribute(attribute);
        return value == null ? null : new String(value, StandardCharsets.ISO_8859_1);
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
