package dev.weir.hash.html.css;

import org.jspecify.annotations.Nullable;

/**
 * The style of one element, built in the order of the cascade. Each source fills only unset properties ({@link #fill}),
 * the parent comes last ({@link #inherit}), and {@link #visibility} is the result.
 */
public final class Style {
    /** The visibility of an element's text. */
    public enum Visibility {
        VISIBLE, INVISIBLE, TRANSPARENT
    }

    private static final int UNREADABLE_FONT = 3;
    private static final int UNREADABLE_ALPHA = 10;

    private @Nullable Color foreground;
    private @Nullable Color background;
    private @Nullable Length height;
    private @Nullable Length width;
    private @Nullable Length maxHeight;
    private @Nullable Length maxWidth;
    private @Nullable Length fontSize;
    private @Nullable Display display;
    /** Whether the display type comes from CSS, not from the defaults of the tag or from the parent. */
    private boolean displayStated;
    private boolean clipped;
    private boolean overflowKnown;

    /** Fills unset properties from the HTML attributes of an element. */
    public void fillAttributes(@Nullable String color, @Nullable String bgcolor, boolean hidden) {
        if (color != null && foreground == null) {
            foreground = attributeColor(color);
        }
        if (bgcolor != null && background == null) {
            background = attributeColor(bgcolor);
        }
        if (hidden && display == null) {
            display = Display.HIDDEN;
        }
    }

    /**
     * Parses an attribute value as a color. The whole value must match: no white space around it, names in lower case
     * only.
     */
    private static @Nullable Color attributeColor(String value) {
        return value.startsWith("#") ? Values.hex(value.substring(1)) : Keywords.color(value);
    }

    /** Fills unset properties. */
    public void fill(Declarations css) {
        Effects effects = css.effects();
        foreground = foreground != null ? foreground : effects.foreground();
        background = background != null ? background : effects.background();
        height = height != null ? height : effects.height();
        width = width != null ? width : effects.width();
        maxHeight = maxHeight != null ? maxHeight : effects.maxHeight();
        maxWidth = maxWidth != null ? maxWidth : effects.maxWidth();
        fontSize = fontSize != null ? fontSize : effects.fontSize();
        if (display == null) {
            display = effects.display();
            displayStated = display != null;
        }
        Boolean clips = effects.clips();
        if (!overflowKnown && clips != null) {
            clipped = clips;
            overflowKnown = true;
        }
    }

    /** Inherits the display type of the parent if the parent's comes from CSS and this one is unset. */
    public void followStated(Style parent) {
        if (display == null && parent.displayStated) {
            display = parent.display;
        }
    }

    /** Fills unset properties from the defaults of the tag. */
    public void imply(Display implied) {
        if (display == null) {
            display = implied;
        }
    }

    /** Fills unset properties from the parent. A hidden parent does not hide its children, whose display type is set. */
    public void inherit(Style parent) {
        foreground = foreground != null ? foreground : parent.foreground;
        background = background != null ? background : parent.background;
        fontSize = inherited(fontSize, parent.fontSize);
        width = inherited(width, parent.width);
        height = inherited(height, parent.height);
        maxWidth = inherited(maxWidth, parent.maxWidth);
        maxHeight = inherited(maxHeight, parent.maxHeight);
        if (display == null) {
            display = parent.display;
        }
    }

    private static @Nullable Length inherited(@Nullable Length own, @Nullable Length parent) {
        if (own == null) {
            return parent;
        }
        if (own.percent() && parent != null) {
            return new Length(parent.value() * own.value() / 100, parent.percent());
        }
        return own;
    }

    /** Returns the first match of the visibility rules (docs/reference/hashing.md#html). */
    public Visibility visibility() {
        if (display == Display.HIDDEN
                || (fontSize != null && fontSize.whole() >= 0 && fontSize.whole() <= UNREADABLE_FONT)
                || isClippedAway()) {
            return Visibility.INVISIBLE;
        }
        return isTransparent() ? Visibility.TRANSPARENT : Visibility.VISIBLE;
    }

    private boolean isClippedAway() {
        return clipped && (isNothing(height, maxHeight) || isNothing(width, maxWidth));
    }

    private boolean isTransparent() {
        Color fg = foreground;
        Color bg = background;
        if (fg != null) {
            if (fg.alpha() < UNREADABLE_ALPHA) {
                return true;
            }
            return bg != null ? bg.alpha() > UNREADABLE_ALPHA && fg.isSimilarTo(bg) : fg.isSimilarTo(Color.WHITE);
        }
        return bg != null && bg.alpha() > UNREADABLE_ALPHA && bg.isSimilarTo(Color.BLACK);
    }

    private static boolean isNothing(@Nullable Length size, @Nullable Length most) {
        return (size != null && size.whole() == 0) || (most != null && most.whole() == 0);
    }

    /** Returns the display type. */
    public Display display() {
        return display == null ? Display.INLINE : display;
    }

    /** In pixels; null if unknown. */
    public @Nullable Length width() {
        return width;
    }

    /** In pixels; null if unknown. */
    public @Nullable Length height() {
        return height;
    }

    /** In pixels; null if unknown. */
    public @Nullable Length fontSize() {
        return fontSize;
    }
}
