package dev.weir.hash.kind;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;

import dev.weir.hash.effort.Effort;
import dev.weir.hash.url.PublicSuffixes;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

final class KindHasherTest {
    static final KindHasher ALL = hasher("key");
    private static final String TEXT = "Your mailbox is nearly full and will be closed soon, please confirm it now.";
    private static final String PAGE = """
            <html><head><style>p { color: #123456 }</style></head><body bgcolor="white"><!-- 4711 -->
            <table width="600" cellpadding="0" border="0" align="center"><tr><td style="font-family: Arial">
            <img src="https://pictures.evil-site.com/campaign/banner-77.png" width="600">
            <p>Your mailbox is nearly full and will be closed soon, please confirm it now.</p>
            <a href="https://login.evil-site.com/confirm?user=a1b2c3">Confirm</a>
            <a href="https://www.facebook.com/page">Follow</a></td></tr></table></body></html>
            """;
    private static final String TOKEN = "4TfRnV2614ekpx275adbwwfzmdh551CTOMFUOJRYQWOYY26PAPA12";

    static KindHasher hasher(String key) {
        return new KindHasher(HashKind.beyondRspamd(), key.getBytes(StandardCharsets.UTF_8),
                key.getBytes(StandardCharsets.UTF_8),
                PublicSuffixes.standard());
    }

    static MailContent mail(String html, String visible, String subject) {
        return new MailContent(html.isEmpty() ? List.of() : List.of(html), visible, subject);
    }

    static Features of(HashKind kind, MailContent mail) {
        return ALL.explain(mail, Effort.unlimited()).stream().filter(one -> one.kind() == kind).findFirst()
                .orElseThrow();
    }

    static int equal(HashKind kind, MailContent one, MailContent other) {
        long[] a = of(kind, one).hashes().getFirst().shingles();
        long[] b = of(kind, other).hashes().getFirst().shingles();
        int equal = 0;
        for (int i = 0; i < 32; i++) {
            equal += a[i] == b[i] ? 1 : 0;
        }
        return equal;
    }

    @Test
    void namesHaveAVersionAndAreFoundWithAndWithoutIt() {
        assertThat(HashKind.beyondRspamd()).extracting(HashKind::label)
                .containsExactly("source1", "chars1", "links1", "picture1", "subject1", "token1");
        assertThat(HashKind.beyondRspamd("links")).contains(HashKind.LINKS);
        assertThat(HashKind.beyondRspamd("links1")).contains(HashKind.LINKS);
        assertThat(HashKind.beyondRspamd("links2")).isEmpty();
    }

    @Test
    void aMailHasEachKindAndEachItsOwnHashes() {
        String page = PAGE + "<a href='http://x.test/" + TOKEN + "'>x</a>";
        List<KindHash> hashes = ALL.hash(mail(page, TEXT, "Your mailbox is nearly full"), Effort.unlimited());
        assertThat(hashes).extracting(KindHash::kind).containsExactlyElementsOf(HashKind.beyondRspamd());
        assertThat(hashes).allSatisfy(hash -> {
            assertThat(hash.digest()).hasSize(64);
            assertThat(hash.shingles()).hasSize(hash.kind().near() ? 32 : 0);
        });
        assertThat(hashes.stream().flatMapToLong(hash -> java.util.Arrays.stream(hash.shingles())).distinct().count())
                .isGreaterThan(60);
    }

    @Test
    void otherKeysGiveOtherHashes() {
        MailContent mail = mail(PAGE, TEXT, "Your mailbox is nearly full");
        List<KindHash> others = hasher("other").hash(mail, Effort.unlimited());
        List<KindHash> hashes = ALL.hash(mail, Effort.unlimited());
        for (int i = 0; i < hashes.size(); i++) {
            assertThat(others.get(i).digest()).isNotEqualTo(hashes.get(i).digest());
            for (int s = 0; s < hashes.get(i).shingles().length; s++) {
                assertThat(others.get(i).shingles()[s]).isNotEqualTo(hashes.get(i).shingles()[s]);
            }
        }
    }

    @Test
    void onlyTheKindsThatWereAskedForAreMade() {
        KindHasher one = new KindHasher(Set.of(HashKind.SUBJECT), new byte[64], new byte[16],
                PublicSuffixes.standard());
        assertThat(one.hash(mail(PAGE, TEXT, "Your mailbox is nearly full"), Effort.unlimited()))
                .extracting(KindHash::kind).containsExactly(HashKind.SUBJECT);
    }

    @Test
    void sourceIgnoresStyleCommentsAddressesAndRandomWords() {
        String other = PAGE.replace("#123456", "#654321").replace("4711", "some other comment of any length")
                .replace("login.evil-site.com/confirm?user=a1b2c3", "elsewhere.test/x")
                .replace("Follow", "q7w8e9 Follow");
        assertThat(of(HashKind.SOURCE, mail(other, "", "")).hashes().getFirst().digest())
                .isEqualTo(of(HashKind.SOURCE, mail(PAGE, "", "")).hashes().getFirst().digest());
        assertThat(of(HashKind.SOURCE, mail("<p>short</p>", "", "")).hashes()).isEmpty();
        assertThat(of(HashKind.SOURCE, mail("", TEXT, "")).reason()).isEqualTo("it has no HTML");
    }

    @Test
    void charsIgnoresWhatAReaderDoesNotSee() {
        String masked = TEXT.replace("mailbox", "m\u200baіlb\u043ex").replace("closed", "clósed").replace(" soon",
                "   soon  ref-4711 me@x.test https://x.test/1 ").replace("confirm", "CONFIRM");
        assertThat(of(HashKind.CHARS, mail("", masked, "")).hashes().getFirst().digest())
                .isEqualTo(of(HashKind.CHARS, mail("", TEXT, "")).hashes().getFirst().digest());
        assertThat(of(HashKind.CHARS, mail("", "short", "")).hashes()).isEmpty();
    }

    @Test
    void wordsInOtherScriptsStayAsTheyAre() {
        assertThat(Folding.fold("Привет, мир", Effort.unlimited())).isEqualTo("привет мир");
        assertThat(Folding.fold("p\u0430yp\u0430l", Effort.unlimited())).isEqualTo("paypal");
        assertThat(Folding.fold("Ｆｕｌｌ ﬁne", Effort.unlimited())).isEqualTo("full fine");
    }

    @Test
    void linksHaveRoleDomainAndShape() {
        assertThat(of(HashKind.LINKS, mail(PAGE, "", "")).texts()).containsExactly(
                "image evil-site.com/campaign/x.png", "link evil-site.com/confirm?user");
    }

    @Test
    void addressesThatAnyMailHasAreNotEnough() {
        String page = "<a href='https://bit.ly/abc'>a</a><a href='https://x.list-manage.com/track?u=1'>b</a>"
                + "<a href='https://www.google.com/'>c</a><a href='https://lists.sourceforge.net/lists/x'>d</a>"
                + "<a href='https://club.example.org/'>e</a><a href='https://only-one.test/'>f</a>";
        Features links = of(HashKind.LINKS, mail(page, "", ""));
        assertThat(links.hashes()).isEmpty();
        assertThat(links.reason()).isEqualTo("1 different pieces, and it takes 2");
    }

    @Test
    void cloudStorageCountsWithItsBucketAndPicturesWithTheirPath() {
        PublicSuffixes suffixes = PublicSuffixes.standard();
        assertThat(form(Markup.Role.LINK, "https://storage.googleapis.com/evilbucket/x1.html", suffixes))
                .isEqualTo("link storage.googleapis.com/evilbucket");
        assertThat(form(Markup.Role.LINK, "https://evil.blob.core.windows.net/$web/1a2b.html", suffixes))
                .isEqualTo("link evil.blob.core.windows.net/$web/x.html");
        assertThat(form(Markup.Role.IMAGE, "https://i.imgur.com/Ab12.png?x=1", suffixes))
                .isEqualTo("image i.imgur.com/Ab12.png");
        assertThat(form(Markup.Role.IMAGE, "https://d15k2d11r6t6rl.cloudfront.net/public/users/1/a.png?x=1", suffixes))
                .isEqualTo("image d15k2d11r6t6rl.cloudfront.net/public/users/1/a.png");
    }

    /** Newsletters of all authors of one service have the same icons. */
    @Test
    void picturesOfMailServicesDoNotCount() {
        assertThat(LinksKind.form(Objects.requireNonNull(WebAddress.of(
                new Markup.Target(Markup.Role.IMAGE, "https://substackcdn.com/image/fetch/icon/LucideHeart"),
                PublicSuffixes.standard())))).isNull();
    }

    private static String form(Markup.Role role, String address, PublicSuffixes suffixes) {
        return Objects.requireNonNull(
                LinksKind.form(Objects.requireNonNull(WebAddress.of(new Markup.Target(role, address), suffixes))));
    }

    @Test
    void picturesAreThoseOfTheSender() {
        String page = PAGE
                + "<img src='https://evil-site.com/img/logo-big.png'><img src='https://www.paypalobjects.com/abc"
                + "defg.png'><img src='cid:1'><img src='https://evil-site.com/a/spacer.gif'>";
        assertThat(of(HashKind.PICTURE, mail(page, "", "")).texts())
                .containsExactly("pictures.evil-site.com/campaign/banner-77.png");
    }

    @Test
    void aSubjectNeedsWords() {
        String subject = "Your mailbox 4711 is nearly full!";
        for (MailContent mail : List.of(mail(PAGE, "", "Re: FW: " + subject), mail("<p>x</p>", "", subject),
                mail("", "x", subject))) {
            assertThat(of(HashKind.SUBJECT, mail).texts()).containsExactly("your mailbox is nearly full");
        }
        assertThat(of(HashKind.SUBJECT, mail(PAGE, "", "Hello you there")).hashes()).isEmpty();
    }

    /** Otherwise who asks about a mail of spam would look like its sender. */
    @Test
    void theSubjectOfAnAnswerNeedsALink() {
        for (String mark : List.of("Re: ", "FW: ", "Aw: WG: ")) {
            Features answer = of(HashKind.SUBJECT, mail("<p>x</p>", "x", mark + "Your mailbox is nearly full"));
            assertThat(answer.hashes()).isEmpty();
            assertThat(answer.reason()).contains("answer without a link");
        }
    }

    /** Hosts, numbers and letters differ, and the program that made the token is the same. */
    @Test
    void aTokenCountsWithItsForm() {
        String one = "<img src='//pictures.one.test/track/" + TOKEN + "'><a href='https://two.test/a.html'>x</a>";
        String other = "<a href='http://three.test/5OhHEX2614bSkf275jbsmsmctjy551VRFDDJAZHIBHBXE26TAPM12'>x</a>";
        assertThat(of(HashKind.TOKEN, mail(one, "", "")).texts()).containsExactly("0b0b0c0c0b0");
        assertThat(of(HashKind.TOKEN, mail(other, "", "")).hashes().getFirst().digest())
                .isEqualTo(of(HashKind.TOKEN, mail(one, "", "")).hashes().getFirst().digest());
        assertThat(of(HashKind.TOKEN, mail(PAGE, "", "")).reason()).contains("no address has a token");
    }

    /** What honest mail services have in their addresses must not be taken for one. */
    @Test
    void randomTokensHaveNoCommonForm() {
        assertThat(TokenKind.form("653153ae841fd11de66ad181a653153ae841fd11de66ad181a")).isNull();
        assertThat(TokenKind.form("u001.s4A7ZqC-2Ftxqw36qkcPzhAm-2BF5MGadlBQvSCtMJ0")).isNull();
        assertThat(TokenKind.form("a-quite-long-title-of-an-article-of-2026-05-12")).isNull();
        assertThat(TokenKind.form("AAAHagA~RgRmktocPlcFc3BjZXlqTmFtZQ12345678901234")).isNull();
        String alphabet = "abcdefghijklmnopqrstuvwxyz0123456789";
        SplittableRandom random = new SplittableRandom(4711);
        Map<String, Integer> forms = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            StringBuilder token = new StringBuilder();
            for (int j = 0; j < 40; j++) {
                token.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            String form = TokenKind.form(token.toString());
            if (form != null) {
                forms.merge(form, 1, Integer::sum);
            }
        }
        // The most frequent form is that of less than one token in a thousand.
        assertThat(forms.values()).isNotEmpty().allMatch(count -> count < 20);
    }

    @Test
    void aMailOfOneCampaignIsNearAndAnotherIsNot() {
        StringBuilder rows = new StringBuilder();
        for (int i = 0; i < 40; i++) {
            rows.append("<tr><td class=row").append(Character.toString('a' + i % 26)).append(">line</td></tr>");
        }
        MailContent one = mail(PAGE.replace("</table>", rows + "</table>"), TEXT, "");
        MailContent near = mail(PAGE.replace("</table>", rows + "<tr><td>more</td></tr></table>"), TEXT, "");
        MailContent far = mail(
                "<div><h1>Weekly news of the chess club</h1>" + "<ul><li>one two three</li></ul>".repeat(9)
                        + "<span dir=ltr lang=en>see you on friday at the usual place and time</span></div>",
                TEXT, "");
        assertThat(equal(HashKind.SOURCE, one, near)).isGreaterThan(22);
        assertThat(equal(HashKind.SOURCE, one, far)).isLessThan(4);
    }

    @Test
    void hostileMarkupTakesLinearTime() {
        for (String piece : List.of("<!--", "<style", "<style><", "<head>", "<a href=\"", "<a href='x' ", "<", "&#",
                "<a href=x>", "a1", "\u0430a", "<script></scrip", "<p a=\"")) {
            MailContent mail = mail(piece.repeat(1_000_000 / piece.length()), piece.repeat(100_000),
                    piece.repeat(1000));
            Effort effort = Effort.of(Duration.ofSeconds(20), 1_000_000);
            assertThat(ALL.hash(mail, effort)).hasSizeLessThan(30);
        }
    }
}
