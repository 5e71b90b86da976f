package dev.weir.hash.kind;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

import dev.weir.hash.effort.Effort;
import dev.weir.hash.table.TextTable;
import dev.weir.hash.url.PublicSuffixes;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What each published version of a kind makes of fixed mails. These vectors must never change: storages keep hashes for
 * years. An algorithm that needs to change gets another version and its own vectors.
 */
final class KindVectorsTest {
    private static final MailContent PAGE = new MailContent(List.of("""
            <html><head><style>p { color: red }</style></head><body bgcolor="white"><!-- 4711 -->
            <table width="600" cellpadding="0" border="0" align="center"><tr><td style="font-family: Arial">
            <img src="https://pictures.evil-site.com/campaign/banner-77.png" width="600">
            <p>Dear customer, your mailbox is nearly full and will be closed soon, please confirm it now.</p>
            <a href="https://login.evil-site.com/confirm?user=a1b2c3">Confirm</a>
            <a href="https://storage.googleapis.com/bucket/x.html">Other</a>
            <a href="https://www.facebook.com/page">Follow</a></td></tr></table></body></html>
            """),
            "Dear customer, your mailbox is nearly full and will be closed soon, please confirm it now. Confirm Other "
                    + "Follow",
            "Re: Your mailbox is nearly full");
    /** More members than slots. */
    private static final MailContent LONG = new MailContent(List.of(), longText(), null);
    /** Letters of several scripts and of compatibility forms. */
    private static final MailContent MASKED = new MailContent(List.of(),
            "Ｙｏｕｒ m\u0430ilb\u043ex is n\u200bearly full: Ваш почтовый ящик почти полон, 您的邮箱快满了 請立即確認", null);

    private static final MailContent TOKENS = new MailContent(List.of("<a href=\"http://slave.evil-site.com/4TfRnV2614"
            + "ekpx275adbwwfzmdh551CTOMFUOJRYQWOYY26PAPA12\">x</a><img src=\"http://b.test/track/3JaPzM10124STRx229mwo"
            + "vkindrg2805WXWNIQ3\">"), "x", null);

    /** What is quoted, the signature and the footer of a list do not count. */
    private static final MailContent ANSWER = new MailContent(List.of(), """
            Anna wrote:
            > Please confirm the account of your mailbox on this page.

            We never ask for your password, and nobody confirms a mailbox on a page.

            -- \nAnna, Garden Street

            _______________________________________________
            talk mailing list
            https://lists.test/listinfo/talk
            """, "[talk] Is your mailbox nearly full?");

    private static String longText() {
        StringBuilder text = new StringBuilder();
        int state = 1;
        for (int i = 0; i < 4000; i++) {
            state = state * 1_103_515_245 + 12_345;
            text.append((char) ('a' + (state >>> 16) % 26)).append(i % 6 == 5 ? " " : "");
        }
        return text.toString();
    }

    static List<String> vectors() {
        byte[] key = "rspamd".getBytes(StandardCharsets.US_ASCII);
        List<String> lines = new ArrayList<>();
        int number = 0;
        for (MailContent mail : List.of(PAGE, LONG, MASKED, TOKENS, ANSWER)) {
            number++;
            for (boolean wanted : new boolean[]{false, true}) {
                Set<HashKind> all = HashKind.beyondRspamd();
                KindHasher hasher = wanted
                        ? KindHasher.ofWanted(all, key, key, PublicSuffixes.standard())
                        : new KindHasher(all, key, key, PublicSuffixes.standard());
                for (KindHash hash : hasher.hash(mail, Effort.unlimited())) {
                    StringBuilder line = new StringBuilder("mail" + number + (wanted ? "-ham " : " "))
                            .append(hash.kind().label()).append(' ')
                            .append(HexFormat.of().formatHex(hash.digest(), 0, 32));
                    for (int i = 0; i < Math.min(hash.shingles().length, 32); i += 9) {
                        line.append(' ').append(HexFormat.of().toHexDigits(hash.shingles()[i]));
                    }
                    lines.add(line.toString());
                }
            }
        }
        return lines;
    }

    @Test
    void aPublishedKindNeverChanges() {
        assertThat(vectors()).containsExactlyElementsOf(TextTable.rows(KindVectorsTest.class, "kind-vectors.txt", "\n")
                .stream().map(row -> row[0]).toList());
    }
}
