package dev.weir.hash.html;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.StringTokenizer;

import dev.weir.hash.html.css.Display;
import dev.weir.hash.html.css.Style;
import dev.weir.hash.html.css.Style.Visibility;
import dev.weir.hash.url.PublicSuffixes;
import dev.weir.hash.url.Url;
import org.jspecify.annotations.Nullable;

/**
 * A weight for each URL: how much it looks like the link that the reader is meant to click
 * (docs/reference/hashing.md#call-to-action). A button "pay now" weighs much, an icon in the footer nothing. All
 * arithmetic is single precision, as in Rspamd, because weights are compared with a limit.
 */
final class CallToAction {
    private static final Set<String> NEVER = Set.of("link", "script", "style", "meta", "base", "img");
    private static final Set<String> RESOURCES = Set.of("alternate", "canonical", "dns-prefetch", "icon", "manifest",
            "preconnect", "prefetch", "preload", "stylesheet");
    private static final List<String> BUTTON_CLASSES = List.of("btn", "button", "cta", "call-to-action", "submit",
            "primary",
            "confirm", "action", "purchase", "buy", "signup", "sign-up", "apply");
    private static final List<String> FOOTER_CLASSES = List.of("logo", "footer", "header", "nav", "menu", "social",
            "tracking", "pixel", "unsubscribe", "legal", "copyright");
    private static final Set<String> BUTTON_ROLES = Set.of("button", "tab", "menuitem");
    private static final List<String> ACTIONS = List.of("buy", "purchase", "order", "checkout", "pay", "confirm",
            "verify",
            "update", "login", "log in", "sign in", "sign up", "signup", "register", "download", "upgrade", "continue",
            "next", "open", "submit", "apply", "approve", "activate", "subscribe");

    private final Set<String> imageUrls = new HashSet<>();
    /** Whether the tag or a tag around it is invisible, transparent or ignored. */
    private final Set<HtmlNode> obscured = new HashSet<>();
    private final byte[] text;
    private final HtmlBudget budget;

    private CallToAction(byte[] text, HtmlBudget budget) {
        this.text = text;
        this.budget = budget;
    }

    /**
     * Returns the weight by URL for the URLs of all tags.
     *
     * @param nodes the tags in document order
     * @param text their visible text
     */
    static Map<String, Float> weigh(List<HtmlNode> nodes, byte[] text, PublicSuffixes suffixes, HtmlBudget budget) {
        CallToAction scale = new CallToAction(text, budget);
        for (HtmlNode node : nodes) {
            byte[] source = node.isTag(TagName.IMG) ? node.attribute(Attribute.SRC) : null;
            Url url = source == null ? null : Url.parseHref(source, suffixes);
            if (url != null) {
                scale.imageUrls.add(url.text());
            }
        }
        Map<String, Float> weights = new HashMap<>();
        for (HtmlNode node : nodes) {
            boolean inObscured = node.parent != null && scale.obscured.contains(node.parent);
            if (inObscured || node.ignored || isObscured(node.style)) {
                scale.obscured.add(node);
            }
            if (node.url != null && node.kind == HtmlNode.Kind.TAG) {
                weights.merge(node.url.text(), inObscured ? 0f : scale.weight(node, node.url), Math::max);
            }
        }
        return weights;
    }

    private static boolean isObscured(@Nullable Style style) {
        return style != null && style.visibility() != Visibility.VISIBLE;
    }

    private float weight(HtmlNode node, Url url) {
        boolean invisible = node.style != null && node.style.visibility() == Visibility.INVISIBLE;
        if (node.ignored || node.headModel || invisible || NEVER.contains(node.name) || imageUrls.contains(url.text())
                || (node.name.equals("a") && isResource(node))) {
            return 0f;
        }
        String label = labelOf(node);
        float weight = base(node, url) + visual(node) + label(label) + place(node, url) - penalties(node, url, label);
        return Math.max(0f, Math.min(1f, weight));
    }

    private static boolean isResource(HtmlNode node) {
        StringTokenizer tokens = tokens(node.attribute(Attribute.REL));
        while (tokens.hasMoreTokens()) {
            if (RESOURCES.contains(tokens.nextToken())) {
                return true;
            }
        }
        return false;
    }

    private static float base(HtmlNode node, Url url) {
        return switch (node.name) {
            case "button" -> 0.9f;
            case "form" -> 0.8f;
            case "area" -> 0.3f;
            case "a" -> {
                float weight = names(node, BUTTON_CLASSES) ? 0.75f : 0.35f;
                if (BUTTON_ROLES.contains(lower(node.attribute(Attribute.ROLE)))) {
                    weight = Math.max(weight, 0.7f);
                }
                yield url.isMail() ? Math.min(weight, 0.4f) : weight;
            }
            default -> 0.2f;
        };
    }

    private static float visual(HtmlNode node) {
        float weight = switch (StyleResolver.displayOf(node)) {
            case BLOCK -> 0.12f;
            case TABLE_ROW -> 0.05f;
            case INLINE, HIDDEN -> 0f;
        };
        Style style = node.style;
        if (style == null) {
            return weight;
        }
        Display display = style.display();
        weight = display == Display.BLOCK ? 0.12f : display == Display.TABLE_ROW ? 0.05f : 0f;
        int area = area(style);
        weight += area >= 6000 ? 0.2f : area >= 2000 ? 0.12f : area >= 400 ? 0.06f : 0f;
        int font = style.fontSize();
        return weight + (font >= 16 ? 0.08f : font >= 13 ? 0.04f : 0f);
    }

    /** Returns the area in square pixels, or 0 if unknown. */
    private static int area(Style style) {
        return Math.max(0, style.width()) * Math.max(0, style.height());
    }

    private static float label(String label) {
        float weight = ACTIONS.stream().anyMatch(label::contains) ? 0.18f : 0f;
        weight += label.contains("!") ? 0.03f : 0f;
        int length = label.getBytes(StandardCharsets.UTF_8).length;
        return weight + (length >= 3 && length <= 18 ? 0.04f : 0f);
    }

    private String labelOf(HtmlNode node) {
        if (node.labelStart < node.labelEnd) {
            return new String(text, node.labelStart, node.labelEnd - node.labelStart, StandardCharsets.UTF_8)
                    .toLowerCase(Locale.ROOT);
        }
        for (Attribute attribute : List.of(Attribute.TITLE, Attribute.ARIA_LABEL, Attribute.ALT)) {
            String value = lower(node.attribute(attribute)).strip();
            if (!value.isEmpty()) {
                return value;
            }
        }
        return "";
    }

    private float place(HtmlNode node, Url url) {
        int order = budget.orderOf(url.text());
        float weight = order == 0 ? 0.1f : 0.06f / (1f + order);
        return node.shownDomain != null && !node.shownDomain.equals(url.registrableDomain()) ? weight + 0.12f : weight;
    }

    private static float penalties(HtmlNode node, Url url, String label) {
        float penalty = 0f;
        if (label.isEmpty()) {
            penalty += 0.35f;
        } else if (label.codePoints().noneMatch(Character::isLetter)) {
            penalty += 0.25f;
        }
        if (label.getBytes(StandardCharsets.UTF_8).length > 80) {
            penalty += 0.1f;
        }
        Style style = node.style;
        if (style != null) {
            int area = area(style);
            penalty += area > 0 && area <= 64 ? 0.25f : area > 0 && area <= 150 ? 0.15f : 0f;
            int font = style.fontSize();
            penalty += font > 0 && font <= 9 ? 0.08f : 0f;
            penalty += style.visibility() == Visibility.TRANSPARENT ? 0.2f : 0f;
        }
        penalty += names(node, FOOTER_CLASSES) ? 0.2f : 0f;
        penalty += url.isMail() ? 0.15f : 0f;
        return penalty + (url.scheme().equals("ftp") ? 0.05f : 0f);
    }

    /** Whether a token of the class or the id contains one of the words. */
    private static boolean names(HtmlNode node, List<String> words) {
        for (Attribute attribute : List.of(Attribute.CLASS, Attribute.ID)) {
            StringTokenizer tokens = tokens(node.attribute(attribute));
            while (tokens.hasMoreTokens()) {
                if (words.stream().anyMatch(tokens.nextToken()::contains)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static StringTokenizer tokens(byte @Nullable [] value) {
        return new StringTokenizer(lower(value), " \t\n\r\f");
    }

    private static String lower(byte @Nullable [] value) {
        return value == null ? "" : new String(value, StandardCharsets.UTF_8).toLowerCase(Locale.ROOT);
    }
}
