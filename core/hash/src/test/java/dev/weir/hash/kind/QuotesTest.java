package dev.weir.hash.kind;

import java.util.List;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

final class QuotesTest {
    private static final String SPAM = "Dear customer, your mailbox is nearly full and will be closed soon.\nPlease "
            + "confirm it now on our page, or all of your messages will be lost for ever.\n";

    @Test
    void quotedLinesDoNotCount() {
        assertThat(Quotes.cut("Anna wrote:\n> One.\n >> Two.\n\nThree > two.\n"))
                .isEqualTo("Anna wrote:\n\nThree > two.\n");
    }

    @Test
    void aSignatureDoesNotCount() {
        assertThat(Quotes.cut(SPAM + "-- \nAnna, Garden Street 7\n")).isEqualTo(SPAM);
        assertThat(Quotes.cut(SPAM + "--\r\nAnna, Garden Street 7\r\n")).isEqualTo(SPAM);
    }

    /** Otherwise one line at its top would hide a mail. */
    @Test
    void aSignatureIsNotLongerThanTheTextAboveIt() {
        assertThat(Quotes.cut("Hello\n-- \n" + SPAM)).isEqualTo("Hello\n-- \n" + SPAM);
        assertThat(Quotes.cut("-- \n" + SPAM)).isEqualTo("-- \n" + SPAM);
    }

    @Test
    void aTextThatIsQuotedAsAWholeCounts() {
        String quoted = "> " + SPAM.replace("\n", "\n> ") + "\n";
        assertThat(Quotes.cut(quoted)).isEqualTo(quoted);
    }

    /** Who answers spam, or reports it, must not look like a spammer. */
    @Test
    void anAnswerIsNotAlikeToTheMailThatItQuotes() {
        MailContent spam = mail(SPAM.repeat(3));
        MailContent answer = mail("Never heard of you. Who are you, and where did you get this address from?\n\n> "
                + SPAM.repeat(3).replace("\n", "\n> "));
        assertThat(KindHasherTest.equal(HashKind.CHARS, spam, answer)).isLessThan(4);
        assertThat(KindHasherTest.equal(HashKind.CHARS, spam, spam)).isEqualTo(32);
    }

    @Property(seed = "4711", tries = 200)
    void nothingIsAdded(@ForAll @StringLength(max = 60) @CharRange(from = '\n', to = '\n') @CharRange(from = '-',
            to = '-') @CharRange(from = ' ', to = ' ') @CharRange(from = '>', to = '>') String text) {
        assertThat(Quotes.cut(text)).hasSizeLessThanOrEqualTo(text.length());
    }

    private static MailContent mail(String text) {
        return new MailContent(List.of(), text, null);
    }
}
