package dev.weir.config.ucl;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import dev.weir.config.source.ConfigException;
import dev.weir.config.source.Origin;
import dev.weir.config.source.Problem;
import dev.weir.config.template.TemplateContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tests of what the vectors do not cover: places, messages, warnings, limits, and details of Rspamd's parser. */
final class UclTest {
    private static final Map<String, String> FILES = Map
            .of("/k7", "k = 7\n", "/scalar", "o = 5\n", "/object", "o { z = 9 }\n", "/twice",
                    "s { n = 1 } s { m = 2 }\n", "/separate", "separate { n = 1 } separate { m = 2 }\n",
                    "/array", "[1]", "/self", "a = 1\n.include \"/self\"\n", "/a", ".include \"/b\"\n.include \"/b\"\n",
                    "/b", ".include \"/a\"\n.include \"/a\"\n");

    private static UclDocument parse(String text) throws ConfigException {
        return parse(text, UclLimits.DEFAULT);
    }

    private static UclDocument parse(String text, UclLimits limits) throws ConfigException {
        return Ucl.parse("test.conf", text, new UclSettings(Variables.NONE.with("V", "hello"),
                Optional.of(TemplateContext.of(Map.of("FOO", "bar"), Map.of())), new MemoryFiles(FILES), limits,
                Set.of("separate")));
    }

    private static String json(String text) throws ConfigException {
        return JsonText.compact(parse(text).root());
    }

    private static List<String> warnings(String text) throws ConfigException {
        return parse(text).warnings().stream().map(Problem::toString).toList();
    }

    /** Results of the parser of Rspamd 3.4 for the same texts. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`',
            textBlock = """
                    `a = x\\;y`                                              | {"a":"x;y"}
                    `a = "\\u0024V"; b = "\\$V"; c = "$V$$$$"`               | {"a":"$V","b":"hello","c":"hello$$"}
                    `a = "$$ $V $$$ ${V $V"`                                 | {"a":"$ hello $$ ${V hello"}
                    `a = [ x y, "z" ; 'w' , 1 2 ]`                           | {"a":["x y","z","w","1 2"]}
                    `a = [ 10s, 10s , 10s ]`                                 | {"a":[10.0,"10s","10s"]}
                    `a = no#x`                                               | {"a":false}
                    `a\tb c { x = 1 }`                                       | {"a":{"b":{"c":{"x":1}}}}
                    `a 1 # {\nb=2`                                           | {"a":{"1":"b=2"}}
                    `a /* { */ 1;b=2`                                        | {"a":1,"b":2}
                    `a # x {\nb=1`                                           | {"a":"b=1"}
                    `a =\n\n{ x=1 }`                                         | {"a":{"x":1}}
                    `a b { x=1 } c { y=2 } d e f { z=3 }` | {"a":{"b":{"x":1}},"c":{"y":2},"d":{"e":{"f":{"z":3}}}}
                    `a = 1 b { x = 1 }`                                      | {"a":"1 b { x = 1 }"}
                    `"a"1;"b"x;"c""d"`                                       | {"a":1,"b":"x","c":"d"}
                    `a=1.5e3k; b=1.5e3s; d=1.5kb; e=-1.5kb; f=5.s; i=-0` | \
                    {"a":1500000.0,"b":1500.0,"d":1024,"e":-1024,"f":5.0,"i":0}
                    `/**/a=1/**/`                                            | {"a":"1"}
                    `/* x "a\\"*/ b" */ a=1`                                 | {"a":1}
                    `a = "x" /*c*/ b = 1`                                    | {"a":"x","b":1}
                    `s=[1]; s=2; s=[3]`                                      | {"s":[1,2,3]}
                    `s=[[1]]; s=[[2]]`                                       | {"s":[[1],[2]]}
                    `.include $V/none; b = 1`                                | !
                    `.include /k7; b = 1`                                    | {"k":7,"b":1}
                    `.include\n"/k7"\na=1`                                   | {"k":7,"a":1}
                    `a { .include "/k7" }`                                   | {"a":{"k":7}}
                    `k=1\n.include(key="k") "/k7"`                           | !
                    `k {a=1} k {b=1}\n.include(key="k") "/k7"`               | {"k":[{"a":1,"k":7},{"b":1}]}
                    `k {a=1}\n.include(key="k",target="array") "/k7"`        | {"k":[{"a":1},{"k":7}]}
                    `.include(path=["/none",""]) "k7"`                       | {"k":7}
                    `.include(try=1) "/none"`                                | !
                    `.include(priority=2.5) "/k7"\n.include(priority=1) "/k7"` | {"k":7}
                    `.include(priority=-1) "/k7"\n.include(priority=14) "/k7"` | {"k":7}
                    `.include(p=3) "/k7"\nk=1`                               | {"k":7}
                    `.include "/array"`                                      | !
                    `.priority 5\nk=1\n.priority 0\nk=2`                     | {"k":1}
                    `.priority x\nk=1`                                       | !
                    `.priority "99"\nk=1\n.include(priority=4) "/k7"`        | {"k":7}
                    `.include(priority=5) "/object"\n.include(priority=1,duplicate=merge) "/scalar"` | {"o":5}
                    `o = [1]\n.include(priority=1,duplicate=merge) "/scalar"` | {"o":5}
                    `o = 1\n.include(duplicate=merge) "/object"`             | {"o":[1,{"z":9}]}
                    `o = 1\n.include(priority=1,duplicate=merge) "/object"`  | {"o":{"z":9}}
                    `o {x=1}\n.include(priority=5,duplicate=merge) "/object"\n.include(priority=3) "/scalar"` | {"o":5}
                    `.include(duplicate=merge) "/twice"`                     | {"s":{"n":1,"m":2}}
                    `b {x=1;y {z=1}} d { .inherit "b"\n y { w=2 } y { v=2} }` | \
                    {"b":{"x":1,"y":{"z":1}},"d":{"x":1,"y":[{"w":2},{"v":2}]}}
                    `b {x=1} b {y=1} d { .inherit "b"\n }`                   | {"b":[{"x":1},{"y":1}],"d":{"x":1}}
                    `b=1; d { .inherit "b"\n }`                              | !
                    `o {b {x=1}\n d { .inherit "b"\n }}`                     | !
                    `a = <<EOD\nx\nEOD}\nEOD`                                | {"a":"x\\nEOD}"}
                    `a = <<EOD x;b=1`                                        | {"a":"<<EOD x","b":1}
                    `a "b" c`                                                | !
                    `a b = {x=1}`                                            | !
                    `a\n{ x=1 }`                                             | !
                    `a = = 1`                                                | !
                    `a = 1e400`                                              | !
                    `a = 1e-400`                                             | !
                    `a = 'x'b=1`                                             | !
                    `a = "x\\u12"`                                           | !
                    `{a=1};b=2`                                              | {"a":1}
                    """)
    void agreesWithRspamdInDetails(String text, String expected) throws ConfigException {
        String ucl = text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\");
        if (expected.equals("!")) {
            assertThatThrownBy(() -> json(ucl)).isInstanceOf(ConfigException.class);
        } else {
            assertThat(json(ucl)).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`',
            textBlock = """
                    `a = 1\nb = "x`          | `test.conf:2:5: this string is not closed, expected '"'`
                    `a = 1\n  section{` | \
                    `test.conf:2:10: expected a blank, '=' or ':' after the key "section", but found '{'`
                    `a { b = 1;` | `test.conf:1:3: this '{' is not closed, expected '}' before the end of the file`
                    `a = ;` | `test.conf:1:5: expected a value (an empty text is written ""), but found ';'`
                    `a = "x" b` | \
                    `test.conf:1:9: expected ';', ',' or the end of the line after the string, but found 'b'`
                    `a = [1, 2}` | `test.conf:1:10: this '}' is inside the array of test.conf:1:5, expected ']'`
                    `\n.include "/none"`     | `test.conf:2:1: there is no file /none`
                    `.try_include "/none"` | \
                    `test.conf:1:1: there is no file /none; to allow that, write .include(try=true)`
                    `.nosuch "x"` | \
                    `test.conf:1:1: unknown macro ".nosuch", expected .include, .priority, .inherit or .load`
                    `a = 99999999999999999k` | `test.conf:1:1: the number is out of range, expected at most 64 bits`
                    `.include "/self"`       | `/self:2:1: the file includes itself`
                    `{= FOO =}\n{= env.X.y =}`   | `test.conf:2:9: template: an undefined name has no field "y"`
                    `b\n` | \
                    `test.conf:1:2: expected a value or a section after the key "b", but found the end of the line`
                    """)
    void errorsNameThePlaceAndTheReason(String text, String message) {
        assertThatThrownBy(() -> parse(text.replace("\\n", "\n"))).isInstanceOf(ConfigException.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ''                 | [{"n":1},{"m":2}]
            separate { o = 1 } | [{"o":1},{"n":1},{"m":2}]
            separate = [{}]    | [{},{"n":1},{"m":2}]
            separate = 5;      | [5,{"n":1},{"m":2}]
            """)
    void addsSeparateSectionsOfAMergedFile(String before, String expected) throws ConfigException {
        String text = before + "\n.include(duplicate=merge) \"/separate\"\n";
        assertThat(json(text)).isEqualTo("{\"separate\":" + expected + "}");
        assertThat(warnings(text)).isEmpty();
    }

    @Test
    void warnsAboutLikelyMistakes() throws ConfigException {
        assertThat(warnings("x { y = 10min }\n")).containsExactly("test.conf:1:9: warning: "
                + "\"10min\" is a string here, because a blank follows it; write \"10min;\" without a blank");
        assertThat(warnings("a = 5 /* c */\nb = 5k # c\nc = 5 # c\n")).hasSize(2)
                .first()
                .asString()
                .endsWith("\"5\" is a string here, because a comment follows it; write \"5;\"");
        assertThat(warnings("m = [text/plain, application/*, x, */ ];\n")).singleElement()
                .asString()
                .isEqualTo("test.conf:1:29: warning: "
                        + "\"/*\" begins a comment here and ends the value \"application\"; put the value in quotes");
        assertThat(warnings("o { a = 1 }\n.include(priority=10) \"/object\"\n")).singleElement()
                .asString()
                .startsWith("/object:1:1: warning: replaces the whole \"o\" of test.conf:1:1");
        assertThat(warnings("o { a = 1 } o { b = 1 }\n.include(duplicate=merge) \"/object\"\n")).singleElement()
                .asString()
                .contains("there are 2 of \"o\" and this is merged into the first one only (test.conf:1:1)");
        assertThat(warnings(".include(foo=bar, priority=\"5\") \"/k7\"\n")).hasSize(2);
        assertThat(warnings("a = <<eod\n")).singleElement().asString().contains("not a heredoc");
        assertThat(warnings(".include(priority=1,duplicate=merge) \"/twice\"\n")).singleElement()
                .asString()
                .startsWith("/twice:1:13: warning: this \"s\" is merged with that of /twice:1:1");
        assertThat(warnings("count 1 # {\nb = 1\n")).singleElement()
                .asString()
                .isEqualTo("test.conf:1:7: warning: the '{' in the comment makes this a section in \"count\";"
                        + " write \"count = \"");
        assertThat(warnings("a = 10; b = 1min; c = x y; d = application/x;\n")).isEmpty();
    }

    @Test
    void everyValueHasItsPlaceAndPriority() throws ConfigException {
        UclDocument document = parse("a = 1\nsec \"x\" {\n  b = [ 1,\n 2 ]\n}\n.include(priority=3) \"/k7\"\n");
        UclObject root = (UclObject) document.root();
        assertThat(root.values("a").getFirst().origin()).isEqualTo(new Origin("test.conf", 1, 1));
        UclObject section = (UclObject) root.values("sec").getFirst();
        UclObject named = (UclObject) section.values("x").getFirst();
        assertThat(named.origin()).isEqualTo(new Origin("test.conf", 2, 5));
        assertThat(named.items("b").get(1).origin()).isEqualTo(new Origin("test.conf", 4, 2));
        assertThat(root.values("k").getFirst()).isEqualTo(new UclInteger(7, new Origin("/k7", 1, 1), 3));
        assertThat(document.files()).containsExactly("/k7");
    }

    @Test
    void placesPointIntoTheTemplate() throws ConfigException {
        UclObject root = (UclObject) parse(
                "{# a\nb #}x = {= FOO =}; y = 1\n{% if not FOO %}\nz = 0\n{% endif %}\nw = 2\n")
                .root();
        assertThat(JsonText.compact(root)).isEqualTo("{\"x\":\"bar\",\"y\":1,\"w\":2}");
        assertThat(root.values("x").getFirst().origin()).isEqualTo(new Origin("test.conf", 2, 5));
        assertThat(root.values("y").getFirst().origin()).isEqualTo(new Origin("test.conf", 2, 20));
        assertThat(root.values("w").getFirst().origin()).isEqualTo(new Origin("test.conf", 6, 1));
    }

    @Test
    void patternsIncludeMatchingFiles() throws ConfigException {
        assertThat(json(".include(glob=true) \"/k*\"")).isEqualTo("{\"k\":7}");
        assertThat(json(".include(glob=true,try=true) \"/none[[[\"; a = 1")).isEqualTo("{\"a\":1}");
        assertThatThrownBy(() -> json(".include(glob=true) \"/none?\"")).hasMessageContaining("no file matches /none?");
    }

    @Test
    void surrogatePairsFormOneCharacter() throws ConfigException {
        assertThat(((UclObject) parse("a = \"\\ud83d\\ude00\"").root()).values("a")).singleElement()
                .isInstanceOfSatisfying(UclString.class, s -> assertThat(s.text()).isEqualTo("\uD83D\uDE00"));
    }

    @Test
    void limitsBoundEveryResource() {
        UclLimits small = new UclLimits(1000, 3000, 40, 16, 20, 200, 1000);
        assertRefused("a { ".repeat(30) + "}".repeat(30), small, "nested deeper than 20");
        assertRefused("a " + "b ".repeat(30) + "{}", small, "nested deeper than 20");
        assertRefused("a = " + "[".repeat(30), small, "nested deeper than 20");
        assertRefused("a = [" + "1,".repeat(300) + "]", small, "more than 200 values");
        assertRefused("a = \"" + "$V".repeat(300) + "\"", small, "more than 1000 characters");
        assertRefused(".include \"/a\"", UclLimits.DEFAULT, "more than 16 deep");
        assertRefused("a=1;".repeat(20) + "\n.include \"/k7\"".repeat(50),
                new UclLimits(1000, 3000, 40, 16, 20, 2000, 1000),
                "more than 40 files");
        assertRefused("x = 1;".repeat(600), small, "more than 3000 bytes");
    }

    @Test
    void limitsBoundRepeatedInheritance() {
        StringBuilder text = new StringBuilder("b0 { x = 1 }\n");
        for (int i = 1; i <= 40; i++) {
            text.append("b%d { c { .inherit \"b%d\"\n } d { .inherit \"b%d\"\n } }\n".formatted(i, i - 1, i - 1));
        }
        assertThat(UclLimits.DEFAULT.values()).isEqualTo(1_000_000);
        assertRefused(text.toString(), new UclLimits(1 << 20, 1 << 20, 1, 1, 256, 10_000, 1 << 20),
                "more than 10000 values");
        StringBuilder deep = new StringBuilder("b0 { x { y = 1 } }\n");
        for (int i = 1; i <= 300; i++) {
            deep.append("b%d { c { .inherit \"b%d\"\n } }\n".formatted(i, i - 1));
        }
        assertRefused(deep.toString(), UclLimits.DEFAULT, "nested deeper than 256");
    }

    private static void assertRefused(String text, UclLimits limits, String reason) {
        assertThatThrownBy(() -> parse(text, limits)).isInstanceOf(ConfigException.class).hasMessageContaining(reason);
    }

    @Test
    void oneLineWithManyKeysIsReadInLinearTime() throws ConfigException {
        // Each key looks ahead for a brace on its line. Without memory of that search the work would be quadratic.
        String line = "a 1/**/".repeat(200_000);
        assertThat(((UclObject) parse(line).root()).values("a")).hasSize(200_000);
    }
}
