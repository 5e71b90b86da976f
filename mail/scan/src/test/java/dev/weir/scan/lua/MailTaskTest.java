package dev.weir.scan.lua;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import dev.weir.hash.MailHasher;
import dev.weir.lua.LuaException;
import dev.weir.lua.LuaLimits;
import dev.weir.lua.LuaSource;
import dev.weir.lua.ScriptLog;
import dev.weir.lua.task.Decision;
import dev.weir.lua.task.LearnScript;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the view of a mail in scripts. Rspamd 3.4 printed the expected values for the same mail, except where a comment
 * differs.
 */
class MailTaskTest {
    private static final String MAIL = """
            From: =?utf-8?Q?J=C3=BCrgen?= <Juergen.X@Example.COM>
            To: a@b.org,
            \t"C, D" <c@d.example>
            Cc: e@f.org
            Subject: =?utf-8?B?R3LDvMOfZQ==?=
             and more
            X-Two: one
            x-two:two
            X-Tab:\ttabbed
            Message-ID: <id@host>
            Received: from mx.example.com (mx.example.com [192.0.2.1]) by me.example with ESMTPS id 123 for <a@b.org>; \
            Mon, 1 Jan 2024 00:00:00 +0000
            MIME-Version: 1.0
            Content-Type: multipart/mixed; boundary=x

            --x
            Content-Type: text/plain; charset=utf-8

            Hello World, see http://www.example.com/path?q=1 and mail joe@example.org now
            --x
            Content-Type: text/html

            <html><body><p>Hi <a href="https://link.example.net/x">there</a></p></body></html>
            --x
            Content-Type: application/pdf; name="a.pdf"
            Content-Disposition: attachment; filename="a.pdf"
            Content-Transfer-Encoding: base64

            JVBERi0xLjQK
            --x--
            """.replace("\n", "\r\n");
    private static MailHasher hasher = MailHasher.standard();

    @BeforeAll
    static void read() {
        hasher = MailHasher.standard();
    }

    private static Decision decide(String text, byte[] mail, MailEnvelope envelope) throws LuaException {
        try (LearnScript condition = LearnScript.load(LuaSource.inline("c", text), LuaLimits.condition(),
                ScriptLog.NONE)) {
            return condition.decide(new MailTask(mail, hasher.analyze(mail), envelope));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "task:get_from()[1].addr == 'Juergen.X@Example.COM' and task:get_from()[1].name == 'Jürgen'",
        "task:get_from()[1].domain == 'Example.COM' and task:get_from()[1].raw == '<Juergen.X@Example.COM>'",
        "task:get_from('smtp') == nil", "#task:get_recipients() == 3",
        "task:get_recipients()[1].raw == 'a@b.org' and task:get_recipients()[1].name == ''",
        "task:get_recipients()[2].name == 'C, D' and task:get_recipients()[2].raw == '<c@d.example>'",
        "task:get_recipients('mime')[3].user == 'e'", "task:get_header('x-TWO') == 'one'",
        "task:get_header('x-two', true) == 'two'", "task:get_header('Subject') == 'Grüße and more'",
        "task:get_header_raw('Subject') == '=?utf-8?B?R3LDvMOfZQ==?= and more'",
        "task:get_subject() == 'Grüße and more'",
        "task:get_header_full('Subject')[1].raw == 'Subject: =?utf-8?B?R3LDvMOfZQ==?=\\r\\n and more\\r\\n'",
        "task:get_header_full('x-two')[1].order == 4 and task:get_header_full('x-two')[2].order == 5",
        "task:get_header_full('x-two')[2].empty_separator and task:get_header_full('X-Tab')[1].tab_separated",
        "task:get_header('To') == 'a@b.org, \\\"C, D\\\" <c@d.example>'", "task:get_message_id() == 'id@host'",
        "task:get_size() == 817", "#task:get_text_parts() == 2", "task:get_text_parts()[1]:get_length() == 79",
        "task:get_text_parts()[2]:get_raw_length() == 84 and task:get_text_parts()[2]:is_html()",
        "tostring(task:get_text_parts()[2]:get_content()):find('Hi there', 1, true) == 1",
        "task:get_text_parts()[2]:get_words_count() == 2", "#task:get_parts() == 4",
        "task:get_parts()[1]:is_multipart() and task:get_parts()[4]:get_filename() == 'a.pdf'",
        "task:get_parts()[4]:is_attachment() and task:get_parts()[4]:get_length() == 9",
        "task:get_received_headers()[1].from_ip == '192.0.2.1'", "task:get_received_headers()[1].proto == 'esmtps'",
        "task:get_received_headers()[1].timestamp == 1704067200",
        "task:get_received_headers()[1]['for'] == '<a@b.org>'",
        "task:get_received_headers()[1].by_hostname == 'me.example' and task:get_received_headers()[1].flags.ssl",
        "task:get_received_headers()[1].real_hostname == 'mx.example.com'", "task:get_ip() == nil",
        // That instance had no public suffix list and therefore found only the link in HTML.
        "#task:get_urls() == 2 and task:get_urls()[1]:get_host() == 'www.example.com'",
        "task:get_urls()[2]:get_text() == 'https://link.example.net/x'"
                + " and task:get_urls()[2]:get_tld() == 'example.net'",
        "task:get_emails()[1]:get_user() == 'joe' and task:get_emails()[1]:get_host() == 'example.org'",
        "not task:has_symbol('X') and task:get_metric_score()[1] == 0"})
    void expressionHoldsInAScript(String expression) throws LuaException {
        Decision decision = decide("return function(task) return (" + expression + ") == true end",
                MAIL.getBytes(StandardCharsets.UTF_8), MailEnvelope.NONE);
        assertThat(decision.text()).isEqualTo("learned: the condition returned true");
    }

    @Test
    void envelopeTakesPrecedenceOverTheMail() throws LuaException {
        MailEnvelope envelope = MailEnvelope.of(Map.of("From", List.of("<bounce@list.example>"), "Rcpt",
                List.of("x@y.example", "z@y.example"), "IP", List.of("2001:db8::1"), "User", List.of("joe"), "Flag",
                List.of("11")));
        assertThat(decide("""
                return function(task)
                  return task:get_from()[1].addr == 'bounce@list.example' and #task:get_recipients() == 2
                    and #task:get_recipients('mime') == 3 and tostring(task:get_ip()) == '2001:db8::1'
                    and task:get_user() == 'joe' and tostring(task:get_request_header('flag')) == '11'
                end""", MAIL.getBytes(StandardCharsets.UTF_8), envelope).learn()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\r\n", "no header at all", "From nobody\nSubject: x\n\nbody", ":\n: \n",
        "From: <<<>>>@@\n\n",
        "To: a:b;,,;<>@\"\n\n", "Received: ;;;\nReceived: from\n\n", "Subject: =?utf-8?Q?=ZZ?= =?x?B?!?=\n\n",
        "\u0000\u0001"})
    void anyBytesFormATask(String mail) throws LuaException {
        assertThat(
                decide("""
                        return function(task)
                          for _, name in ipairs { 'get_from', 'get_recipients', 'get_subject', 'get_message_id',
                            'get_size', 'get_content', 'get_text_parts', 'get_parts', 'get_urls', 'get_emails',
                            'get_received_headers', 'get_ip', 'get_digest' } do
                            local method = task[name]
                            method(task)
                          end
                          task:get_header_full('From')
                          return true
                        end""",
                        mail.getBytes(StandardCharsets.ISO_8859_1), MailEnvelope.NONE).text())
                .isEqualTo("learned: the condition returned true");
    }
}
