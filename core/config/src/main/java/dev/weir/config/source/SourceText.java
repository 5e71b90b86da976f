package dev.weir.config.source;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * The text of one file, with a mapping from each character to its place in the file that the author edits.
 *
 * <p>For text that a template produced, places point into the template: {@link #rendered} carries the mapping over.
 */
public final class SourceText {
    private final String name;
    private final String text;
    private final int[] lineStarts;
    private final @Nullable SourceText template;
    private final int[] from;
    private final int[] to;

    private SourceText(String name, String text, @Nullable SourceText template, int[] from, int[] to) {
        this.name = name;
        this.text = text;
        this.template = template;
        this.lineStarts = template == null ? lineStarts(text) : new int[0];
        this.from = from;
        this.to = to;
    }

    /** Returns the text of the file with the given name. */
    public static SourceText of(String name, String text) {
        return new SourceText(name, text, null, new int[0], new int[0]);
    }

    /**
     * Returns the rendered form of this text. From index {@code outputAt[i]} on, each character of the result comes
     * from the matching character of this text, starting at {@code sourceAt[i]}, up to the next entry. Entries ascend
     * in {@code outputAt}; the first one is 0.
     */
    public SourceText rendered(String result, int[] outputAt, int[] sourceAt) {
        return new SourceText(name, result, this, outputAt.clone(), sourceAt.clone());
    }

    /** Returns the name of the file. */
    public String name() {
        return name;
    }

    /** Returns the text to parse. */
    public String text() {
        return text;
    }

    /** Returns the place of a character. Past the end, returns the place where the text ends. */
    public Origin originAt(int offset) {
        int at = Math.clamp(offset, 0, text.length());
        if (template != null) {
            return template.originAt(sourceOffset(at));
        }
        int found = Arrays.binarySearch(lineStarts, at);
        int line = found >= 0 ? found : -found - 2;
        return new Origin(name, line + 1, at - lineStarts[line] + 1);
    }

    private int sourceOffset(int at) {
        if (from.length == 0) {
            return 0;
        }
        int found = Arrays.binarySearch(from, at);
        int segment = found >= 0 ? found : Math.max(0, -found - 2);
        int offset = to[segment] + at - from[segment];
        // Characters that an expression produced have no place in the file: all of them point into the expression.
        return segment + 1 < to.length ? Math.min(offset, Math.max(to[segment], to[segment + 1] - 1)) : offset;
    }

    private static int[] lineStarts(String text) {
        int[] starts = new int[16];
        int count = 1;
        for (int at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
            if (count == starts.length) {
                starts = Arrays.copyOf(starts, count * 2);
            }
            starts[count++] = at + 1;
        }
        return Arrays.copyOf(starts, count);
    }
}
