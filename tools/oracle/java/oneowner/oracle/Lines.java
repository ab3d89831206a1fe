package oneowner.oracle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.Map;

/** Puts JSON lines to an oracle and prints what it answers, a line each. */
public class Lines {
    public static final ObjectMapper JSON = new ObjectMapper();

    /** Answers one line: the unmodified class of a release, with the input of the line. */
    public interface Oracle {
        void answer(JsonNode row, ObjectNode answer) throws Exception;
    }

    /** Answers standard input; a line names its algorithm. What is thrown is the answer, as `error`. */
    public static void answer(Map<String, Oracle> algorithms) throws Exception {
        PrintStream out = System.out;
        System.setOut(System.err);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            JsonNode row = JSON.readTree(line);
            ObjectNode answer = JSON.createObjectNode();
            answer.put("id", row.get("id").asText());
            try {
                algorithms.get(row.get("algorithm").asText()).answer(row, answer);
            } catch (Throwable thrown) {
                answer.put("error", thrown.toString());
            }
            out.println(JSON.writeValueAsString(answer));
        }
        out.flush();
    }
}
