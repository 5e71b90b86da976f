package dev.weir.hash.html.css;

import java.util.List;

import dev.weir.hash.release.Release;
import org.jspecify.annotations.Nullable;

/**
 * The style of one element. The inline style comes first, then what the parent passes on ({@link #inherit}), then the
 * style sheet ({@link #overlay}), last the display type of the tag ({@link #imply}); {@link #visibility} is the result.
 * A stated value is never replaced, except that a hidden parent replaces a stated display type; an inherited value
 * yields to the style sheet.
 *
 * <p>Sizes are whole numbers as in Rspamd, and a negative one is a percentage.
 */
public final class Style {
    /** The visibility of an element's text. */
    public enum Visibility {
        VISIBLE, INVISIBLE, TRANSPARENT
    }

    /** Indexes of the properties. */
    private static final int FOREGROUND = 0;
    private static final int BACKGROUND = 1;
    private static final int DISPLAY = 2;
    private static final int HEIGHT = 3;
    private static final int WIDTH = 4;
    private static final int FONT_SIZE = 5;
    private static final int CLIPS = 6;
    private static final int COUNT = 7;
    /** Index of the {@link Hiding} that belongs to a hidden display type. */
    private static final int HIDING = 7;

    /** Origins of a value in ascending order of strength; zero is an unset value. */
    private static final int UNSET = 0;
    private static final int INHERITED = 1;
    private static final int STATED = 2;
    private static final int ORIGIN_BITS = 2;
    private static final int ORIGIN_MASK = 3;

    private static final int UNREADABLE_FONT = 3;
    private static final int UNREADABLE_FONT_3_4 = 0;
    private static final int UNREADABLE_ALPHA = 10;
    private static final float LEAST_OPACITY = 0.1f;
    private static final int OFF_SCREEN = -1000;
    /** Sizes that percentages refer to if the parent has none. */
    private static final int DEFAULT_HEIGHT = 800;
    private static final int DEFAULT_WIDTH = 1024;
    private static final int DEFAULT_FONT = 10;
    private static final int WHOLE = -100;

    /** Display types by the number that represents them. */
    private static final List<Display> DISPLAYS = List.of(Display.values());
    private static final List<Hiding> HIDINGS = List.of(Hiding.values());

    private final int[] values;
    /** The origin of each property, {@value #ORIGIN_BITS} bits each. */
    private int origins;
    private final Release like;
    /** The result of {@link #visibility} once it is known. */
    private @Nullable Visibility visibility;
    /** The last result of {@link #heir} and for what it is. */
    private @Nullable Style lastHeir;
    private @Nullable Display lastHeirDisplay;
    private boolean lastHeirOwn;

    public Style(Release like) {
        this(new int[COUNT + 1], UNSET, like);
    }

    private Style(int[] values, int origins, Release like) {
        this.like = like;
        this.values = values;
        this.origins = origins;
    }

    /** Returns the style that the declarations state. */
    static Style of(Declarations css, Release like) {
        Style style = new Style(like);
        for (Declaration declaration : css.declarations()) {
            switch (declaration.property) {
                case DISPLAY -> style.state(declaration.display, Hiding.DISPLAY);
                case VISIBILITY -> style.state(declaration.display, Hiding.VISIBILITY);
                case COLOR, FONT_COLOR -> style.state(FOREGROUND, declaration.color);
                case BGCOLOR -> style.state(BACKGROUND, declaration.color);
                case FONT_SIZE -> style.stateFont(declaration.length);
                case OVERFLOW -> style.state(CLIPS,
                        like != Release.V3_4 && declaration.display == Display.HIDDEN ? 1 : 0);
                default -> {
                }
            }
        }
        Declaration font = css.declaration(Property.FONT);
        if (font != null && style.origin(FOREGROUND) == UNSET) {
            style.state(FOREGROUND, font.color);
        }
        if (font != null && style.origin(FONT_SIZE) == UNSET) {
            style.stateFont(font.length);
        }
        Declaration back = css.declaration(Property.BACKGROUND);
        if (back != null && style.origin(BACKGROUND) == UNSET) {
            style.state(BACKGROUND, back.color);
        }
        Length height = smaller(length(css, Property.HEIGHT), length(css, Property.MAX_HEIGHT));
        if (height != null) {
            style.state(HEIGHT, whole(height, Short.MIN_VALUE, Short.MAX_VALUE, WHOLE));
        }
        Length width = smaller(length(css, Property.WIDTH), length(css, Property.MAX_WIDTH));
        if (width != null) {
            style.state(WIDTH, whole(width, Short.MIN_VALUE, Short.MAX_VALUE, Short.MIN_VALUE));
        }
        // In 3.4 only display, visibility, the font and colors hide text.
        if (like != Release.V3_4 && isOffScreen(css)) {
            style.state(Display.HIDDEN, Hiding.OFF_SCREEN);
        } else if (like != Release.V3_4 && number(css, Property.OPACITY, 1) < LEAST_OPACITY) {
            style.state(Display.HIDDEN, Hiding.OPACITY);
        }
        return style;
    }

    /** Returns the smaller of two lengths. Of two that cannot be compared the limit counts only if it is zero. */
    private static @Nullable Length smaller(@Nullable Length length, @Nullable Length limit) {
        if (length == null || limit == null) {
            return length == null ? limit : length;
        }
        boolean limits = length.percent() == limit.percent() ? limit.value() < length.value() : limit.value() == 0;
        return limits ? limit : length;
    }

    private static int whole(Length length, int least, int most, int belowLeast) {
        float value = length.percent() ? -length.value() : length.value();
        return value < least ? belowLeast : (int) Math.min(most, value);
    }

    private static boolean isOffScreen(Declarations css) {
        boolean positioned = number(css, Property.POSITION, 0) > 0;
        return (positioned && (isFarOut(css, Property.LEFT) || isFarOut(css, Property.TOP)))
                || isFarOut(css, Property.TEXT_INDENT) || number(css, Property.CLIP, 0) > 0
                || number(css, Property.CLIP_PATH, 0) > 0;
    }

    private static boolean isFarOut(Declarations css, Property property) {
        Length length = length(css, property);
        return length != null && !length.percent() && length.value() <= OFF_SCREEN;
    }

    private static @Nullable Length length(Declarations css, Property property) {
        Declaration declaration = css.declaration(property);
        return declaration == null ? null : declaration.length;
    }

    private static float number(Declarations css, Property property, float otherwise) {
        Declaration declaration = css.declaration(property);
        return declaration == null || declaration.number == null ? otherwise : declaration.number;
    }

    private int origin(int property) {
        return (origins >>> (ORIGIN_BITS * property)) & ORIGIN_MASK;
    }

    private void setOrigin(int property, int origin) {
        int shift = ORIGIN_BITS * property;
        origins = (origins & ~(ORIGIN_MASK << shift)) | (origin << shift);
    }

    private void state(int property, int value) {
        values[property] = value;
        setOrigin(property, STATED);
    }

    private void state(int property, @Nullable Color color) {
        if (color != null) {
            state(property, color.argb());
        }
    }

    /**
     * @param hiding the reason if the display type is hidden
     */
    private void state(@Nullable Display display, Hiding hiding) {
        if (display != null) {
            state(DISPLAY, DISPLAYS.indexOf(display));
            values[HIDING] = HIDINGS.indexOf(hiding);
        }
    }

    private void stateFont(@Nullable Length size) {
        if (size != null) {
            state(FONT_SIZE, whole(size, Byte.MIN_VALUE, Byte.MAX_VALUE, WHOLE));
        }
    }

    /** States the HTML attributes of an element, which win over its inline style. */
    public void stateAttributes(@Nullable String color, @Nullable String bgcolor, boolean hidden) {
        state(FOREGROUND, color == null ? null : attributeColor(color));
        state(BACKGROUND, bgcolor == null ? null : attributeColor(bgcolor));
        state(hidden ? Display.HIDDEN : null, Hiding.ATTRIBUTE);
    }

    /**
     * Parses an attribute value as a color. The whole value must match: no white space around it, names in lower case
     * only.
     */
    private static @Nullable Color attributeColor(String value) {
        return value.startsWith("#") ? Values.hex(value.substring(1)) : Keywords.color(value);
    }

    /** Fills what is not stated from the style sheet. */
    public void overlay(Style sheet) {
        for (int i = 0; i < COUNT; i++) {
            if (sheet.origin(i) != UNSET && origin(i) != STATED) {
                values[i] = sheet.values[i];
                setOrigin(i, sheet.origin(i));
                values[HIDING] = i == DISPLAY ? sheet.values[HIDING] : values[HIDING];
            }
        }
    }

    /** Fills what is unset from the parent. Whether overflow is clipped is not passed on. */
    public void inherit(Style parent) {
        values[HEIGHT] = size(HEIGHT, parent, DEFAULT_HEIGHT);
        values[WIDTH] = size(WIDTH, parent, DEFAULT_WIDTH);
        values[FONT_SIZE] = size(FONT_SIZE, parent, DEFAULT_FONT);
        for (int i = 0; i < CLIPS; i++) {
            boolean hides = i == DISPLAY && parent.origin(i) != UNSET && parent.display() == Display.HIDDEN;
            if (hides || parent.origin(i) > origin(i)) {
                values[i] = i == HEIGHT || i == WIDTH || i == FONT_SIZE ? values[i] : parent.values[i];
                setOrigin(i, INHERITED);
                values[HIDING] = i == DISPLAY ? parent.values[HIDING] : values[HIDING];
            }
        }
    }

    private int size(int property, Style parent, int otherwise) {
        int own = values[property];
        int other = parent.values[property];
        if (origin(property) == UNSET || own >= 0) {
            return parent.origin(property) > origin(property) ? other : own;
        }
        if (parent.origin(property) == UNSET) {
            return (int) (otherwise * (-own / 100.0));
        }
        return (int) (other >= 0 ? other * (-own / 100.0) : own * (-other / 100.0));
    }

    /**
     * Completes the style by the display type of the tag. It replaces an inherited display type, so the child of a
     * hidden element is displayed.
     */
    public void imply(Display implied) {
        if (origin(DISPLAY) != STATED) {
            values[DISPLAY] = DISPLAYS.indexOf(implied);
            // The tags of the head are as hidden as if they stated it.
            setOrigin(DISPLAY, implied == Display.HIDDEN ? STATED : INHERITED);
        }
        if (!hasTinyFont() && isClippedAway()) {
            state(Display.HIDDEN, Hiding.OVERFLOW);
        }
    }

    /** Returns a copy, for a tag without a style of its own. */
    public Style copy() {
        return new Style(values.clone(), origins, like);
    }

    /**
     * Returns the style of a child without stated values that no rule of a style sheet applies to. Do not modify it:
     * children share it. This style must not change any more.
     *
     * @param display display type of the child's tag
     * @param own whether the child has a style of its own, which states nothing, or takes this one whole
     */
    public Style heir(Display display, boolean own) {
        Style known = lastHeir;
        if (known == null || lastHeirDisplay != display || lastHeirOwn != own) {
            known = own ? new Style(like) : copy();
            if (own) {
                known.inherit(this);
            }
            known.imply(display);
            lastHeir = known;
            lastHeirDisplay = display;
            lastHeirOwn = own;
        }
        return known;
    }

    /**
     * Returns the first match of the visibility rules (docs/reference/hashing.md#html). The style must not change any
     * more.
     */
    public Visibility visibility() {
        Visibility known = visibility;
        if (known == null) {
            known = seen();
            visibility = known;
        }
        return known;
    }

    private Visibility seen() {
        if (display() == Display.HIDDEN || hasTinyFont()) {
            return Visibility.INVISIBLE;
        }
        return isTransparent() ? Visibility.TRANSPARENT : Visibility.VISIBLE;
    }

    /** Returns the reason for an invisible or transparent text, as CSS would state it; null if the text is visible. */
    public @Nullable String hiding() {
        if (display() == Display.HIDDEN) {
            return HIDINGS.get(values[HIDING]).css();
        }
        if (hasTinyFont()) {
            return "font-size " + values[FONT_SIZE];
        }
        if (!isTransparent()) {
            return null;
        }
        String color = origin(FOREGROUND) == UNSET ? "no color" : "color " + Color.ofArgb(values[FOREGROUND]);
        return color + (origin(BACKGROUND) == UNSET ? "" : " on " + Color.ofArgb(values[BACKGROUND]));
    }

    /** Returns whether the children share the reason in {@link #hiding}; they do not inherit a display type. */
    public boolean hidesChildren() {
        return display() != Display.HIDDEN && visibility() != Visibility.VISIBLE;
    }

    private boolean hasTinyFont() {
        int limit = like == Release.V3_4 ? UNREADABLE_FONT_3_4 : UNREADABLE_FONT;
        return origin(FONT_SIZE) != UNSET && values[FONT_SIZE] >= 0 && values[FONT_SIZE] <= limit;
    }

    private boolean isClippedAway() {
        return values[CLIPS] != 0 && ((origin(HEIGHT) != UNSET && values[HEIGHT] == 0)
                || (origin(WIDTH) != UNSET && values[WIDTH] == 0));
    }

    private boolean isTransparent() {
        boolean back = origin(BACKGROUND) != UNSET;
        Color background = Color.ofArgb(values[BACKGROUND]);
        if (origin(FOREGROUND) == UNSET) {
            return back && background.alpha() > UNREADABLE_ALPHA && background.isSimilarTo(Color.BLACK);
        }
        Color foreground = Color.ofArgb(values[FOREGROUND]);
        if (foreground.alpha() < UNREADABLE_ALPHA) {
            return true;
        }
        return back
                ? background.alpha() > UNREADABLE_ALPHA && foreground.isSimilarTo(background)
                : foreground.isSimilarTo(Color.WHITE);
    }

    /** Returns the display type. */
    public Display display() {
        return origin(DISPLAY) == UNSET ? Display.INLINE : DISPLAYS.get(values[DISPLAY]);
    }

    /** In pixels, negative for a percentage; 0 if unknown. */
    public int width() {
        return values[WIDTH];
    }

    /** In pixels, negative for a percentage; 0 if unknown. */
    public int height() {
        return values[HEIGHT];
    }

    /** In pixels, negative for a percentage; 0 if unknown. */
    public int fontSize() {
        return values[FONT_SIZE];
    }
}
