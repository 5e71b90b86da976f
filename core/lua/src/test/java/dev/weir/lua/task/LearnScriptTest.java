package dev.weir.lua.task;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

import dev.weir.lua.LuaException;
import dev.weir.lua.LuaLimits;
import dev.weir.lua.LuaSource;
import dev.weir.lua.ScriptLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tests of what conditions return and what they can query. */
class LearnScriptTest {
    private static final LuaLimits LIMITS = new LuaLimits(Duration.ofMillis(500), 16 << 20, 1);

    private static Decision decide(String body, TaskView task) throws LuaException {
        try (LearnScript condition = LearnScript.load(LuaSource.inline("fuzzy_check.conf:7", body), LIMITS,
                ScriptLog.NONE)) {
            return condition.decide(task);
        }
    }

    private static Decision decide(String body) throws LuaException {
        return decide("return function(task) " + body + " end", SampleTask.standard());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", value = {
        "return true                 | true  | -  | SAID_YES",
        "return false                | false | -  | SAID_NO",
        "return true, 77             | true  | 77 | SAID_YES",
        "return false, 77            | false | 77 | SAID_NO",
        "return true, 'x'            | true  | -  | SAID_YES",
        "return true, nil            | true  | -  | SAID_YES",
        "return true, '5'            | true  | -  | SAID_YES",
        "local x = 1                 | false | -  | RETURNED_NOTHING",
        "return nil                  | false | -  | RETURNED_NOTHING",
        "return nil, 5               | false | -  | RETURNED_NOTHING",
        "return 'yes'                | false | -  | RETURNED_NO_BOOLEAN",
        "return {}                   | false | -  | RETURNED_NO_BOOLEAN",
        "return 1                    | false | -  | RETURNED_NO_BOOLEAN",
        "error('no')                 | false | -  | ERROR",
        "return task:none()          | false | -  | ERROR",
        "return true, 0              | false | -  | ERROR",
        "return true, -1             | false | -  | ERROR",
        "return true, 1.5            | false | -  | ERROR",
        "return true, 0/0            | false | -  | ERROR",
        "while true do end           | false | -  | TIME_LIMIT",
        "return ('x'):rep(1e9)       | false | -  | MEMORY_LIMIT"})
    void decidesByTheResult(String body, boolean learn, Integer flag, Decision.Reason reason) throws LuaException {
        Decision decision = decide(body);
        assertThat(decision.learn()).isEqualTo(learn);
        assertThat(decision.flag()).isEqualTo(flag == null ? OptionalLong.empty() : OptionalLong.of(flag));
        assertThat(decision.reason()).isEqualTo(reason);
        assertThat(decision.text()).startsWith(learn ? "learned" : "not learned");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "return 1", "return {}", "function f(task) return true end"})
    void sourceMustReturnAFunction(String source) {
        assertThatThrownBy(() -> decide(source, SampleTask.standard()))
                .isInstanceOfSatisfying(LuaException.class,
                        e -> assertThat(e.kind()).isEqualTo(LuaException.Kind.RUNTIME))
                .hasMessageContaining("must return a function");
    }

    @Test
    void reportsErrorsWhenLoading() {
        assertThatThrownBy(() -> decide("return function(task)\n  return = true\nend", SampleTask.standard()))
                .isInstanceOfSatisfying(LuaException.class, e -> assertThat(e.line()).isEqualTo(2))
                .hasMessageStartingWith("fuzzy_check.conf:7:2:");
    }

    /** A condition like the tutorial's sample that skips domains. It has no return at its end, so it never learns. */
    @Test
    void reportsAConditionThatReturnsNothing() throws LuaException {
        String sample = """
                return function(task)
                  local skip_domains = { ['example.com'] = true, ['list.example'] = true }
                  local from = task:get_from()
                  if from and from[1] and skip_domains[from[1].domain] then
                    return false
                  end
                %s
                end
                """;
        TaskView other = new SampleTask(Map.of(), List.of(SampleTask.address("a@other.example")));
        assertThat(decide(sample.formatted(""), other).reason()).isEqualTo(Decision.Reason.RETURNED_NOTHING);
        assertThat(decide(sample.formatted(""), other).text()).contains("returned nothing").contains("return true");
        assertThat(decide(sample.formatted("  return true"), other).learn()).isTrue();
        assertThat(decide(sample.formatted("  return true"), SampleTask.standard()).reason())
                .isEqualTo(Decision.Reason.SAID_NO);
    }

    /** A condition like the tutorial's sample that chooses the flag by a header. */
    @Test
    void conditionCanChooseTheFlag() throws LuaException {
        assertThat(decide("""
                local logger = require "rspamd_logger"
                if task:get_header('X-Two') == 'one' then
                  logger.infox(task, 'learn %s with another flag', task:get_message_id())
                  return true, 12
                end
                return false""")).isEqualTo(new Decision(true, OptionalLong.of(12), Decision.Reason.SAID_YES,
                "learned with flag 12: the condition returned true"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"task:get_from()[1].addr == 'bounce@list.example'",
        "task:get_from('smtp')[1].user == 'bounce'",
        "task:get_from('mime')[1].domain == 'spam.example'", "task:get_from(2)[1].raw == '<spammer@spam.example>'",
        "task:get_from()[1].flags.valid and task:get_from()[1].flags.braced", "#task:get_recipients() == 2",
        "task:get_recipients('smtp') == nil", "task:get_recipients('mime')[2].addr == 'c@d.org'",
        "task.get_rcpts == nil", "task:get_header('x-TWO') == 'one'", "task:get_header('x-two', true) == 'two'",
        "task:get_header('none') == nil", "task:get_header_raw('subject') == '=?utf-8?Q?H=C3=BC?='",
        "task:get_header('subject') == 'Hü'", "#task:get_header_full('x-two') == 2",
        "task:get_header_full('x-two')[1].empty_separator and not task:get_header_full('x-two')[1].tab_separated",
        "task:get_header_full('x-two')[2].tab_separated and task:get_header_full('x-two')[2].order == 2",
        "task:get_header_full('none') == nil", "task:has_header('x-two') == true", "task:has_header('none') == false",
        "task:get_header_count('x-two') == 2", "task:get_subject() == 'Hü'", "task:get_message_id() == 'undef'",
        "task:get_size() == 10", "#task:get_content() == 10", "tostring(task:get_content()) == 'whole mail'",
        "#task:get_text_parts() == 2", "task:get_text_parts()[1]:get_words_count() == 2",
        "tostring(task:get_text_parts()[1]:get_content()) == 'Hello World'",
        "task:get_text_parts()[1]:get_language() == 'en' and task:get_text_parts()[2]:get_language() == nil",
        "task:get_text_parts()[1]:get_length() == 11 and task:get_text_parts()[1]:get_raw_length() == 20",
        "task:get_text_parts()[2]:is_html() and task:get_text_parts()[2]:is_empty()",
        "select('#', task:get_text_parts()[1]:get_html_fuzzy_hashes(task:get_mempool())) == 1",
        "#task:get_text_parts()[2]:get_html_fuzzy_hashes(task:get_mempool()) == 128",
        "select(2, task:get_text_parts()[2]:get_html_fuzzy_hashes(task:get_mempool()))[2] == '18446744073709551615'",
        "select(2, task:get_text_parts()[2]:get_html_fuzzy_hashes()).cta_domains_hash == '2'",
        "select(2, task:get_text_parts()[2]:get_html_fuzzy_hashes()).tags_count == 12",
        "task:get_parts()[2]:get_filename() == 'a.pdf' and task:get_parts()[2]:is_attachment()",
        "select(2, task:get_parts()[2]:get_type()) == 'pdf'", "task:get_parts()[1]:get_filename() == nil",
        "tostring(task:get_ip()) == '192.0.2.1' and task:get_ip():get_version() == 4",
        "task:get_from_ip():is_valid()", "task:get_user() == 'joe' and task:get_helo() == 'mx'",
        "task:get_hostname() == 'mx.example.com' and task:get_queue_id() == 'Q1'",
        "tostring(task:get_request_header('Flag')) == '11'", "task:get_request_header('None') == nil",
        "task:get_urls()[1]:get_host() == 'www.example.com' and task:get_urls()[1]:get_tld() == 'example.com'",
        "task:get_emails()[1]:get_user() == 'joe'", "task:get_received_headers()[1].flags.ssl == true",
        "task:get_digest() == '00ff'", "task:get_symbol('X') == nil", "task:has_symbol('X') == false",
        "task:get_metric_score()[1] == 0 and task:get_metric_score()[2] == 15", "type(task) == 'userdata'",
        "not pcall(task.get_size, {})", "not pcall(task.get_size)", "task:has_urls()", "task:has_from()"})
    void taskMethodsReturnTheMail(String expression) throws LuaException {
        assertThat(decide("return (" + expression + ") == true")).isEqualTo(
                new Decision(true, OptionalLong.empty(), Decision.Reason.SAID_YES,
                        "learned: the condition returned true"));
    }

    @Test
    void taskWithoutAddressHasNoIp() throws LuaException {
        assertThat(decide("return function(task) return task:get_ip() == nil and task:get_user() == nil end",
                new SampleTask(Map.of(), List.of())).learn()).isTrue();
    }

    @Test
    void countsDecisions() throws LuaException {
        try (LearnScript condition = LearnScript.load(
                LuaSource.inline("c", "return function(task) return task:get_user() == 'joe' end"), LIMITS,
                ScriptLog.NONE)) {
            condition.decide(SampleTask.standard());
            condition.decide(SampleTask.standard());
            condition.decide(new SampleTask(Map.of(), List.of()));
            assertThat(condition.counters()).containsEntry(Decision.Reason.SAID_YES, 2L)
                    .containsEntry(Decision.Reason.SAID_NO, 1L)
                    .containsEntry(Decision.Reason.ERROR, 0L);
        }
    }

    @Test
    void closedConditionRefuses() throws LuaException {
        LearnScript condition = LearnScript.load(LuaSource.inline("c", "return function() return true end"),
                LIMITS,
                ScriptLog.NONE);
        condition.close();
        assertThat(condition.decide(SampleTask.standard()).reason()).isEqualTo(Decision.Reason.UNAVAILABLE);
    }
}
