package dev.weir.hash.mime.header;

import java.nio.charset.StandardCharsets;

import dev.weir.hash.bytes.Ascii;
import dev.weir.hash.effort.Effort;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of encoded words; every expectation matches Rspamd's output. */
final class HeaderTextTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', ignoreLeadingAndTrailingWhitespace = false, value = {
        "=?utf-8?Q?Hello big world?= tail|Hello big world tail", "abc=?utf-8?Q?Hello?=def|abcHellodef",
        "=?utf-8?Q?Hello?==?utf-8?Q?World?=|HelloWorld", "=?utf-8?Q?Hello?=   =?utf-8?Q?World?=|HelloWorld",
        "=?utf-8?Q?Hello?= x =?utf-8?Q?World?=|Hello x World", "\"=?utf-8?Q?Hello?=\" x|\"Hello\" x",
        "x =?utf-8?B?SGVsbG8?= y|x Hello y", "x =?foo-bar?Q?Hell=E9?= y|x  y", "x =?utf-8?Q?Hell=E9?= y|x Hell? y",
        "x =?us-ascii?Q?Hell=E9?= y|x Hell? y", "=?utf-8?Q?What?_now??= y|What? now? y",
        "=?utf-8*en?Q?Hello?= y|Hello y", "=?iso-2022-jp?B?GyRCRnxLXBsoQg==?= =?iso-2022-jp?B?GyRCOGwbKEI=?=|日本語",
        "a =?utf-8?Q??= y|a =?utf-8?Q??= y", "a =?utf-8?Q?xfoo bar|a =?utf-8?Q?xfoo bar",
        "a =?utf-8?X?xfoo?= bar|a =?utf-8?X?xfoo?= bar", "=?utf-8?Q?=D0?= =?utf-8?Q?=9F?= z|П z",
        "=?UTF-8?q?=d0=9f?= =?utf-8?b?0J8=?= z|ПП z", "=?gb2312?B?xOO6ww==?= =?GB2312?B?xOO6ww==?= z|你好你好 z",
        "=?koi8-r?B?zcnS?= and =?utf-8?B?0L/RgNC40LLQtdGC?=|мир and привет",
        "=?utf-8?Q?a?=  |a", "=?utf-8?Q?a_?= |a ", "b =?utf-8?Q?a?=\t|b a", "=?utf-8?Q?a?= b |a b ",
        // Adjacent words with different charsets are all read in the charset of the last one.
        "=?koi8-r?B?zcnS?= =?utf-8?B?0L/RgNC40LLQtdGC?=|???привет", "=?iso-8859-1?Q?=E9?= =?koi8-r?B?zcnS?=|Имир"})
    void decodesEncodedWords(String value, String expected) {
        assertThat(new String(HeaderText.decode(value, Effort.unlimited()), StandardCharsets.UTF_8))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', ignoreLeadingAndTrailingWhitespace = false, value = {"Subject: a\\r\\n b|a b",
        "Subject:\\r\\n hello\\r\\n world \\r\\n|hello world ", "Subject:hello|hello",
        "Subject:   hello   \\r\\n|hello   ", "Subject: a\\n\\t\\n b\\n|a b", "Subject: a\\r\\n \\r\\n|a"})
    void unfoldsFields(String field, String expected) {
        byte[] bytes = Ascii.bytes(field.replace("\\r", "\r").replace("\\n", "\n").replace("\\t", "\t"));
        assertThat(Headers.read(bytes, 0, bytes.length).first("subject")).isEqualTo(expected);
    }
}
