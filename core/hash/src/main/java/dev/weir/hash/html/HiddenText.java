package dev.weir.hash.html;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * A text that a document contains but does not display.
 *
 * @param text the text, its white space folded
 * @param reason the style that hides it, as CSS would state it
 * @param line the line of the outermost element with this style, counted from 1
 */
public record HiddenText(String text, String reason, int line) {
    /** Returns the texts of runs in document order; neighbors with the same reason become one text. */
    static List<HiddenText> of(byte[] html, List<HiddenRun> runs) {
        int[] lineStarts = lineStarts(html);
        List<HiddenText> texts = new ArrayList<>();
        Map<HtmlNode, HtmlNode> hiders = new HashMap<>();
        HtmlNode hider = null;
        StringBuilder text = new StringBuilder();
        for (HiddenRun run : runs) {
            String piece = text(html, run);
            if (piece.isEmpty()) {
                continue;
            }
            HtmlNode next = hider(run.node(), hiders);
            if (next != hider) {
                add(texts, text, hider, lineStarts);
                hider = next;
            }
            text.append(text.isEmpty() ? "" : " ").append(piece);
        }
        add(texts, text, hider, lineStarts);
        return texts;
    }

    private static void add(List<HiddenText> texts, StringBuilder text, @Nullable HtmlNode hider, int[] lineStarts) {
        String reason = hider == null ? null : reason(hider);
        if (hider != null && reason != null) {
            int line = Arrays.binarySearch(lineStarts, hider.start);
            texts.add(new HiddenText(text.toString(), reason, line < 0 ? -line - 1 : line + 1));
        }
        text.setLength(0);
    }

    private static String text(byte[] html, HiddenRun run) {
        TextBuffer folded = new TextBuffer(run.to() - run.from());
        EntityDecoder.decodeFolding(html, run.from(), run.to(), folded);
        return new String(folded.toBytes(), StandardCharsets.UTF_8).strip();
    }

    /**
     * Returns the outermost element that hides the text of {@code node}.
     *
     * @param known earlier answers, so that many texts in nested elements take linear time
     */
    private static HtmlNode hider(HtmlNode node, Map<HtmlNode, HtmlNode> known) {
        List<HtmlNode> inside = new ArrayList<>();
        HtmlNode outermost = node;
        HtmlNode hider = known.get(node);
        while (hider == null) {
            inside.add(outermost);
            HtmlNode parent = outermost.parent;
            if (parent == null || !isHiddenLike(parent, outermost)) {
                hider = outermost;
            } else {
                outermost = parent;
                hider = known.get(parent);
            }
        }
        for (HtmlNode hidden : inside) {
            known.put(hidden, hider);
        }
        return hider;
    }

    private static boolean isHiddenLike(HtmlNode parent, HtmlNode node) {
        String reason = reason(node);
        return reason != null && reason.equals(reason(parent)) && hidesChildren(node);
    }

    private static boolean hidesChildren(HtmlNode node) {
        return node.style != null && node.style.hidesChildren();
    }

    private static @Nullable String reason(HtmlNode node) {
        return node.style == null ? null : node.style.hiding();
    }

    private static int[] lineStarts(byte[] html) {
        int[] starts = new int[16];
        int count = 1;
        for (int i = 0; i < html.length; i++) {
            if (html[i] == '\n') {
                starts = count == starts.length ? Arrays.copyOf(starts, count * 2) : starts;
                starts[count++] = i + 1;
            }
        }
        return Arrays.copyOf(starts, count);
    }
}
