// The server of ./x bench http on axum.
use axum::{http::header, response::IntoResponse, routing::get, Json, Router};
use serde::Serialize;

#[derive(Serialize)]
struct Answer {
    message: &'static str,
    id: i64,
    tags: [&'static str; 3],
}

async fn hello() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], "Hello, World!")
}

async fn json() -> Json<Answer> {
    Json(Answer { message: "Hello, World!", id: 42, tags: ["a", "b", "c"] })
}

fn main() {
    let port = std::env::args().nth(1).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await.unwrap();
        axum::serve(listener, Router::new().route("/hello", get(hello)).route("/json", get(json))).await.unwrap();
    });
}
