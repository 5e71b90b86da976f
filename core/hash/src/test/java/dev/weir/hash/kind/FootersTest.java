package dev.weir.hash.kind;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

final class FootersTest {
    private static final String TEXT = "The council meets on Tuesday evening in the small hall, all are welcome. "
            .repeat(8);

    @ParameterizedTest
    @ValueSource(strings = {
        "-- \nYou received this message because you are subscribed to the Google Groups \"dev\" group.\n",
        "_______________________________________________\ndev mailing list\ndev@lists.test\n"
                + "https://lists.test/listinfo/dev\n",
        "-=-=-=-=-=-=-\nGroups.io Links: You receive all messages sent to this group.\n",
        "To unsubscribe, e-mail: dev-unsubscribe@apache.test\n",
        "This SF.net email is sponsored by a very good company\n",
        "This message has been scanned for viruses and\ndangerous content by MailScanner, and is\nbelieved to be "
                + "clean.\n"})
    void aFooterOfAListDoesNotCount(String footer) {
        assertThat(Footers.cut(TEXT + footer)).startsWith(TEXT).hasSizeLessThan(TEXT.length() + 16);
    }

    @Test
    void textWithoutAFooterStays() {
        String line = TEXT + "________________________________________\nSign here\n";
        assertThat(Footers.cut(line)).isEqualTo(line);
        assertThat(Footers.cut("")).isEmpty();
    }

    /** Otherwise a spammer could hide a mail from all kinds with one line at its top. */
    @Test
    void aFooterIsAtMostHalfOfAMail() {
        String hidden = "To unsubscribe from this group, write to us. " + TEXT;
        assertThat(Footers.cut(hidden)).isEqualTo(hidden);
    }

    /** Debian's lists have such a footer, and many of their mails a single line. */
    @Test
    void aFooterMayBeLongerThanAShortMail() {
        String footer = "-- \nTo UNSUBSCRIBE, email to user-REQUEST@lists.test\nwith a subject of \"unsubscribe\". "
                + "Trouble? Contact listmaster@lists.test\nArchive: http://lists.test/199926.44903.qm@web.test\n";
        assertThat(Footers.cutPlain("Is it on?\n\n" + footer)).isEqualTo("Is it on?\n");
        String hidden = "To unsubscribe, email to us. " + TEXT;
        assertThat(Footers.cutPlain(hidden)).isEqualTo(hidden);
    }

    /** Two honest mails of one list share nothing but the footer, so no kind may find them alike. */
    @Test
    void mailsOfOneListAreNotAlikeByItsFooter() {
        String footer = "<p>-- <br>You received this message because you are subscribed to the Google Groups."
                + "<br>To unsubscribe from this group and stop receiving emails from it, send an email to <a href=\""
                + "mailto:dev-unsubscribe@googlegroups.com\">dev-unsubscribe@googlegroups.com</a>.<br>To view this "
                + "discussion on the web visit <a href=\"https://groups.google.com/d/msgid/dev/1\">there</a>.</p>";
        MailContent one = mail("<div><h1>Weekly chess news</h1>" + "<ul><li>one two three</li></ul>".repeat(9)
                + "<span dir=ltr lang=en>see you on friday at the usual place and time</span></div>", footer);
        MailContent other = mail("<table><tr><td bgcolor=white width=100 height=7>" + TEXT + "</td></tr></table>",
                footer);
        for (HashKind kind : List.of(HashKind.SOURCE, HashKind.CHARS)) {
            assertThat(KindHasherTest.equal(kind, one, other)).as(kind.name()).isLessThan(4);
        }
    }

    private static MailContent mail(String html, String footer) {
        return new MailContent(List.of(html + footer),
                (html + footer).replaceAll("<[^>]*>", " "), "");
    }
}
