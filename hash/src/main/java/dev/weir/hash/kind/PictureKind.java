package dev.weir.hash.kind;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import dev.weir.hash.effort.Effort;
import dev.weir.hash.url.PublicSuffixes;
import dev.weir.hash.url.Url;

/**
 * The kind {@code picture1}: the address of one remote picture. Logos, icons, spacers and counting pixels are left out,
 * and so are pictures at brands and mail services: mails of different senders show them.
 */
final class PictureKind {
    /** Maximum number of pictures of a mail. */
    static final int MOST = 20;
    private static final int SHORTEST_PATH = 8;
    private static final List<String> COMMON = List.of("logo", "icon", "ico.", "spacer", "pixel", "blank",
            "transparent",
            "1x1", "clear.gif", "dot.gif", "shim", "divider", "arrow", "button", "btn", "bullet", "facebook", "twitter",
            "instagram", "linkedin", "youtube", "whatsapp", "telegram", "tiktok", "pinterest", "google", "apple",
            "appstore", "app-store", "app_store", "social", "track", "open", "unsub", "avatar", "footer", "header",
            "placeholder", "badge", "flag");

    private PictureKind() {}

    /** Returns host and path of each picture, without repetitions. */
    static List<String> read(Markup markup, PublicSuffixes suffixes, Effort effort) {
        Set<String> pictures = new LinkedHashSet<>();
        for (Markup.Target target : markup.targets()) {
            if (target.role() != Markup.Role.IMAGE || pictures.size() == MOST) {
                continue;
            }
            effort.spend(256 + target.address().length());
            Url url = Url.parseHref(target.address(), suffixes);
            if (url == null || !(url.scheme().equals("http") || url.scheme().equals("https"))) {
                continue;
            }
            SiteClass site = SiteClass.of(url.host());
            if (site == SiteClass.BRAND || site == SiteClass.MAILER || site == SiteClass.REDIRECTOR) {
                continue;
            }
            String path = LinksKind.withoutQuery(LinksKind.path(url));
            String lower = path.toLowerCase(Locale.ROOT);
            if (path.length() < SHORTEST_PATH || COMMON.stream().anyMatch(lower::contains)) {
                continue;
            }
            pictures.add(url.host() + path);
        }
        return new ArrayList<>(pictures);
    }
}
